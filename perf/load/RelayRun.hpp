#pragma once
#include "Crew.hpp"
#include "Route.hpp"
#include "RunResult.hpp"

namespace gazellemq::perf {

/// One run through the relay, with one publisher and one topic whatever `workload` says; with a rate in it it
/// measures latencies. Throws Failure.
RunResult runThroughRelay(Workload workload, Route const& route);

/// Starts a relay that listens on spec.relay, and writes its address there.
Crew::Member& startRelay(Crew& crew, std::string title, RoleSpec& spec);

}  // namespace gazellemq::perf
