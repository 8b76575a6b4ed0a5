#pragma once
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "Options.hpp"
#include "RunResult.hpp"

namespace gazellemq::perf {

/// What pingpong and latency have in common: runs that measure latencies, through the hub and perhaps the relay.
struct LatencyMeasurement {
    Workload const& workload;
    RunOptions const& options;
    std::function<RunResult()> throughHub;
    std::function<RunResult()> throughRelay;
    nlohmann::ordered_json head;  ///< begins the JSON report
    std::string heading;          ///< of the report for people
};

/// Makes the runs in turns and prints the report. The exit code.
int measureLatency(LatencyMeasurement const& measurement);

}  // namespace gazellemq::perf
