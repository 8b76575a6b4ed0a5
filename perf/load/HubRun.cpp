#include "HubRun.hpp"

#include "Failure.hpp"
#include "Meters.hpp"

namespace gazellemq::perf {

RunResult runOnHub(Workload const& workload, Route const& route,
                   std::function<RunResult(RoleSpec const&, HubProcess*)> const& run) {
    RoleSpec spec;
    spec.workload = workload;
    spec.hub = route.hub;
    spec.topicPrefix = "perf." + std::to_string(monotonicNs());
    spec.timeoutMs = static_cast<std::uint64_t>(route.timeout.count());
    if (!route.hub.empty()) return run(spec, nullptr);

    std::vector<std::string> options;
    if (workload.stalledAreCut) options = {"--slow-wildcard", "disconnect"};
    HubProcess hub{route, options};
    spec.hub = hub.url();
    try {
        auto const result = run(spec, &hub);
        hub.stop();
        return result;
    } catch (Failure const& failure) {
        throw Failure{failure.what() + hub.log()};
    }
}

}  // namespace gazellemq::perf
