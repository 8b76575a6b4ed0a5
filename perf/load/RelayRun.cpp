#include "RelayRun.hpp"

#include "Measurement.hpp"

namespace gazellemq::perf {

RunResult runThroughRelay(Workload workload, std::chrono::milliseconds timeout) {
    workload.publishers = 1;
    workload.topics = 1;
    RoleSpec spec;
    spec.workload = workload;
    spec.timeoutMs = static_cast<std::uint64_t>(timeout.count());

    Crew crew{timeout};
    Parties parties;
    auto& relay = crew.start("relay", role::kRelay, spec);
    spec.port = crew.await({&relay}, "ready").front().at("port");
    parties.middle = relay.process.pid();
    for (spec.index = 0; spec.index < workload.subscribers; ++spec.index) {
        auto const title = "raw subscriber " + std::to_string(spec.index);
        parties.subscribers.push_back(&crew.start(title, role::kRawSubscriber, spec));
    }
    crew.await(parties.subscribers, "ready");
    spec.index = 0;
    parties.publishers.push_back(&crew.start("raw publisher", role::kRawPublisher, spec));
    crew.await(parties.publishers, "ready");
    return measure(crew, parties);
}

}  // namespace gazellemq::perf
