#include "RelayRun.hpp"

#include "Measurement.hpp"
#include "SocketFolder.hpp"

namespace gazellemq::perf {

Crew::Member& startRelay(Crew& crew, std::string title, RoleSpec& spec) {
    auto& relay = crew.start(std::move(title), role::kRelay, spec);
    spec.relay = crew.await({&relay}, "ready").front().at("address");
    return relay;
}

RunResult runThroughRelay(Workload workload, Route const& route) {
    workload.publishers = 1;
    workload.topics = 1;
    auto const timed = workload.rate > 0;
    SocketFolder const folder{route.transport};
    RoleSpec spec;
    spec.workload = workload;
    spec.relay = folder.address("relay");
    spec.timeoutMs = static_cast<std::uint64_t>(route.timeout.count());

    Crew crew{route.timeout};
    Parties parties;
    parties.middle = startRelay(crew, "relay", spec).process.pid();
    for (spec.index = 0; spec.index < workload.subscribers; ++spec.index) {
        auto const title = "raw subscriber " + std::to_string(spec.index);
        auto const role = timed ? role::kRawTimedSubscriber : role::kRawSubscriber;
        parties.subscribers.push_back(&crew.start(title, role, spec));
    }
    crew.await(parties.subscribers, "ready");
    spec.index = 0;
    auto const role = timed ? role::kRawTimedPublisher : role::kRawPublisher;
    parties.publishers.push_back(&crew.start("raw publisher", role, spec));
    crew.await(parties.publishers, "ready");
    return measure(crew, parties);
}

}  // namespace gazellemq::perf
