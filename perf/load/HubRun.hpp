#pragma once
#include <functional>

#include "HubProcess.hpp"
#include "Role.hpp"
#include "Route.hpp"
#include "RunResult.hpp"

namespace gazellemq::perf {

/// Makes one run on the hub that `route` names, or on a fresh one that ends with the run and has the options that
/// the workload needs. `run` gets what its
/// roles have in common, with topics of their own, and the hub if it is ours. A Failure tells the hub's log.
RunResult runOnHub(Workload const& workload, Route const& route,
                   std::function<RunResult(RoleSpec const&, HubProcess*)> const& run);

}  // namespace gazellemq::perf
