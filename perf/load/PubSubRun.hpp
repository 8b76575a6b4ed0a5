#pragma once
#include <chrono>
#include <string>

#include "RunResult.hpp"

namespace gazellemq::perf {

/// One run through a hub. `hubUrl` empty: a hub of its own. Throws Failure.
RunResult runPubSub(Workload const& workload, std::string const& hubUrl, std::chrono::milliseconds timeout);

}  // namespace gazellemq::perf
