#pragma once
#include "Route.hpp"
#include "RunResult.hpp"

namespace gazellemq::perf {

/// One run through a hub; with a rate in `workload` it measures latencies. Throws Failure.
RunResult runPubSub(Workload const& workload, Route const& route);

}  // namespace gazellemq::perf
