#pragma once
#include "Route.hpp"
#include "RunResult.hpp"

namespace gazellemq::perf {

/// One run of `workload.messages` round trips between two processes: through a hub; through a relay there and
/// another one back. The result holds the latencies and what both ends found wrong. Throw Failure.
RunResult runPingPong(Workload const& workload, Route const& route);
RunResult runPingPongThroughRelays(Workload const& workload, Route const& route);

}  // namespace gazellemq::perf
