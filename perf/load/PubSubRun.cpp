#include "PubSubRun.hpp"

#include "HubRun.hpp"
#include "Measurement.hpp"

namespace gazellemq::perf {
namespace {

/// They go on after the measurement, and account for what was published meanwhile.
StalledTally releaseStalled(Crew& crew, Crew::Member& stalled) {
    crew.tell({&stalled}, "go");
    auto const result = crew.await({&stalled}, "result").front();
    return {.received = result.at("received"),
            .dropped = result.at("dropped"),
            .unaccounted = result.at("unaccounted"),
            .cut = result.at("cut")};
}

RunResult runOn(HubProcess* hub, RoleSpec spec) {
    auto const timed = spec.workload.rate > 0;
    Crew crew{spec.timeout()};
    Parties parties;
    if (hub != nullptr) {
        crew.watch(hub->process());
        parties.middle = hub->process().pid();
    }
    for (spec.index = 0; spec.index < spec.workload.subscribers; ++spec.index) {
        auto const title = "subscriber " + std::to_string(spec.index);
        auto const role = timed ? role::kTimedSubscriber : role::kSubscriber;
        parties.subscribers.push_back(&crew.start(title, role, spec));
    }
    for (spec.index = 0; spec.index < spec.workload.publishers; ++spec.index) {
        auto const title = "publisher " + std::to_string(spec.index);
        auto const role = timed ? role::kTimedPublisher : role::kPublisher;
        parties.publishers.push_back(&crew.start(title, role, spec));
    }
    Crew::Member* stalled = nullptr;
    if (spec.workload.stalled > 0)
        stalled = &crew.start("stalled subscribers", role::kStalledSubscribers, spec);
    crew.await(parties.subscribers, "ready");
    crew.await(parties.publishers, "ready");
    if (stalled != nullptr) crew.await({stalled}, "ready");
    auto run = measure(crew, parties);
    if (stalled != nullptr) run.stalled = releaseStalled(crew, *stalled);
    return run;
}

}  // namespace

RunResult runPubSub(Workload const& workload, Route const& route) {
    return runOnHub(workload, route, [](RoleSpec const& spec, HubProcess* hub) { return runOn(hub, spec); });
}

}  // namespace gazellemq::perf
