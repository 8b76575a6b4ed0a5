#include "PubSubRun.hpp"

#include <memory>

#include "Failure.hpp"
#include "HubProcess.hpp"
#include "Measurement.hpp"
#include "Meters.hpp"

namespace gazellemq::perf {
namespace {

RunResult runOn(HubProcess* hub, RoleSpec spec) {
    Crew crew{spec.timeout()};
    Parties parties;
    if (hub != nullptr) {
        crew.watch(hub->process());
        parties.middle = hub->process().pid();
    }
    for (spec.index = 0; spec.index < spec.workload.subscribers; ++spec.index) {
        auto const title = "subscriber " + std::to_string(spec.index);
        parties.subscribers.push_back(&crew.start(title, role::kSubscriber, spec));
    }
    for (spec.index = 0; spec.index < spec.workload.publishers; ++spec.index) {
        auto const title = "publisher " + std::to_string(spec.index);
        parties.publishers.push_back(&crew.start(title, role::kPublisher, spec));
    }
    crew.await(parties.subscribers, "ready");
    crew.await(parties.publishers, "ready");
    return measure(crew, parties);
}

}  // namespace

RunResult runPubSub(Workload const& workload, std::string const& hubUrl, std::chrono::milliseconds timeout) {
    RoleSpec spec;
    spec.workload = workload;
    spec.hub = hubUrl;
    spec.topicPrefix = "perf." + std::to_string(monotonicNs());
    spec.timeoutMs = static_cast<std::uint64_t>(timeout.count());
    if (!hubUrl.empty()) return runOn(nullptr, spec);

    HubProcess hub{timeout};
    spec.hub = hub.url();
    try {
        auto const run = runOn(&hub, spec);
        hub.stop();
        return run;
    } catch (Failure const& failure) {
        throw Failure{failure.what() + hub.log()};
    }
}

}  // namespace gazellemq::perf
