#include "LatencyMeasurement.hpp"

#include <iostream>

#include "LatencyReport.hpp"
#include "Report.hpp"
#include "Turns.hpp"

namespace gazellemq::perf {
namespace {

void print(LatencyMeasurement const& measurement, Series const& hub, Series const& relay) {
    auto const versusRelay = measurement.options.versusRelay;
    if (measurement.options.json) {
        auto report = measurement.head;
        addLatency(report, hub);
        if (versusRelay) addLatencyComparison(report, hub, relay);
        std::cout << report.dump(2) << "\n";
        return;
    }
    if (versusRelay) std::cout << latencyText(measurement.heading, relay) << "\n";
    std::cout << latencyText(measurement.heading, hub);
    if (versusRelay) std::cout << "\n" << latencyComparisonText(hub, relay);
}

}  // namespace

int measureLatency(LatencyMeasurement const& measurement) {
    Series hub{.middle = "hub", .workload = measurement.workload, .runs = {}};
    Series relay{.middle = "relay", .workload = measurement.workload, .runs = {}};
    Turns turns{.hub = measurement.throughHub, .base = {}, .line = latencyLine};
    if (measurement.options.versusRelay) turns.base = measurement.throughRelay;
    takeTurns(measurement.options.runs, turns, hub, relay);
    print(measurement, hub, relay);
    auto const faults = complaint(hub) + complaint(relay);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

}  // namespace gazellemq::perf
