#pragma once
#include <functional>
#include <string>

#include "RunResult.hpp"

namespace gazellemq::perf {

/// Runs of two kinds in turns, so that what else the machine does meets both.
struct Turns {
    std::function<RunResult()> hub;
    std::function<RunResult()> base;                 ///< what to compare with; empty: only the hub
    std::function<std::string(Series const&)> line;  ///< about the last run, for the progress
};

/// Adds `runs` runs to `hub` and, if there is one to compare with, to `base`. Stops at the first run with a
/// fault. Progress goes to stderr.
void takeTurns(std::uint64_t runs, Turns const& turns, Series& hub, Series& base);

}  // namespace gazellemq::perf
