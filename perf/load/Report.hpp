#pragma once
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "RunResult.hpp"

namespace gazellemq::perf {

/// The medians, the sums of faults and the single runs of `series` as one JSON object.
nlohmann::ordered_json toJson(Series const& series);
/// Adds how the hub's runs compare to the relay's, which were made in pairs.
void addComparison(nlohmann::ordered_json& report, Series const& hub, Series const& relay);
/// Adds how runs with stalled subscribers compare to those without, which were made in pairs.
void addWithoutStalled(nlohmann::ordered_json& report, Series const& hub, Series const& without);

/// The same for people.
std::string toText(Series const& series);
std::string comparisonText(Series const& hub, Series const& relay);
std::string withoutStalledText(Series const& hub, Series const& without);

/// One short line about one run.
std::string toLine(Series const& series, RunResult const& run);
/// What is wrong, as a sentence; empty if every message arrived once, in order and intact, and stalled
/// subscribers can account for each.
std::string complaint(Series const& series);

}  // namespace gazellemq::perf
