#pragma once
#include <chrono>

#include "RunResult.hpp"

namespace gazellemq::perf {

/// One run through the relay, with one publisher and one topic whatever `workload` says. Throws Failure.
RunResult runThroughRelay(Workload workload, std::chrono::milliseconds timeout);

}  // namespace gazellemq::perf
