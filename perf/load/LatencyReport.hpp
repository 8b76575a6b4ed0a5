#pragma once
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "RunResult.hpp"

namespace gazellemq::perf {

/// Adds the medians of the latencies, the sums of faults and the single runs of `series` to `report`.
void addLatency(nlohmann::ordered_json& report, Series const& series);
/// Adds how the hub's runs compare to the relay's, which were made in pairs: above 1 the hub is slower.
void addLatencyComparison(nlohmann::ordered_json& report, Series const& hub, Series const& relay);

/// The same for people, under a heading.
std::string latencyText(std::string const& heading, Series const& series);
std::string latencyComparisonText(Series const& hub, Series const& relay);

/// One short line about the last run.
std::string latencyLine(Series const& series);

}  // namespace gazellemq::perf
