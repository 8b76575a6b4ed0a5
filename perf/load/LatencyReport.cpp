#include "LatencyReport.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "Print.hpp"
#include "VerdictJson.hpp"

namespace gazellemq::perf {
namespace {

using Json = nlohmann::ordered_json;

Latency latencyIn(RunResult const& run) { return run.latency.value_or(Latency{}); }

Latency medians(Series const& series) {
    Latency result;
    for (auto const& [name, value] : kLatencyFigures)
        result.*value = series.medianOf([&](auto const& run) { return latencyIn(run).*value; });
    return result;
}

/// The median over the pairs, hub by relay; 0 without pairs.
double ratio(Series const& hub, Series const& relay, double Latency::*value) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(hub.runs.size(), relay.runs.size()); ++i)
        ratios.push_back(latencyIn(hub.runs[i]).*value / latencyIn(relay.runs[i]).*value);
    return median(std::move(ratios));
}

void addFigures(Json& json, std::string const& prefix, Latency const& latency) {
    for (auto const& [name, value] : kLatencyFigures) json[prefix + name] = latency.*value;
}

std::string row(std::string const& title, Latency const& latency) {
    auto text = print("%-8s", title.c_str());
    for (auto const& figure : kLatencyFigures) text += print(" %9.1f", latency.*figure.value);
    return text + "\n";
}

}  // namespace

void addLatency(Json& report, Series const& series) {
    report["runs"] = series.runs.size();
    addFigures(report, "", medians(series));
    addFaults(report, series.verdict());
    report["per_run"] = Json::array();
    for (auto const& run : series.runs) {
        auto& single = report["per_run"].emplace_back();
        addFigures(single, "", latencyIn(run));
        addFaults(single, run.verdict);
    }
}

void addLatencyComparison(Json& report, Series const& hub, Series const& relay) {
    report["vs_relay_ratio"] = ratio(hub, relay, &Latency::p50);
    report["vs_relay_p99_ratio"] = ratio(hub, relay, &Latency::p99);
    addFigures(report, "relay_", medians(relay));
    addLatency(report["relay"], relay);
}

std::string latencyText(std::string const& heading, Series const& series) {
    auto text = "Through the " + series.middle + ": " + heading + "; microseconds\n" +
                print("%-8s %9s %9s %9s %9s %9s\n", "", "p50", "p90", "p99", "p99.9", "max");
    for (std::size_t i = 0; i < series.runs.size(); ++i)
        text += row("run " + std::to_string(i + 1), latencyIn(series.runs[i]));
    return text + row("median", medians(series));
}

std::string latencyComparisonText(Series const& hub, Series const& relay) {
    return print(
        "The hub takes %.2f times as long as the relay at p50, %.2f times at p99 (medians of %zu pairs).\n",
        ratio(hub, relay, &Latency::p50), ratio(hub, relay, &Latency::p99), hub.runs.size());
}

std::string latencyLine(Series const& series) {
    auto const latency = latencyIn(series.runs.back());
    return print("%s: p50 %.1f us, p99 %.1f us", series.middle.c_str(), latency.p50, latency.p99);
}

}  // namespace gazellemq::perf
