#include "LatencyReport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gazellemq::perf {
namespace {

Series seriesOf(std::string const& middle, std::vector<double> const& p50s) {
    Series series{.middle = middle, .workload = {}, .runs = {}};
    for (auto const p50 : p50s) {
        RunResult run;
        run.latency = {.p50 = p50, .p90 = 2 * p50, .p99 = 3 * p50, .p999 = 4 * p50, .max = 5 * p50};
        series.runs.push_back(run);
    }
    return series;
}

TEST(LatencyReport, holds_medians_and_every_run) {
    nlohmann::ordered_json report;
    addLatency(report, seriesOf("hub", {10, 50, 20}));
    EXPECT_DOUBLE_EQ(report.at("p50_us"), 20);
    EXPECT_DOUBLE_EQ(report.at("p99_us"), 60);
    EXPECT_DOUBLE_EQ(report.at("max_us"), 100);
    EXPECT_EQ(report.at("lost"), 0);
    EXPECT_EQ(report.at("per_run").size(), 3U);
    EXPECT_DOUBLE_EQ(report.at("per_run").at(1).at("p50_us"), 50);
}

TEST(LatencyReport, compares_runs_in_pairs) {
    auto const hub = seriesOf("hub", {20, 100, 30});
    auto const relay = seriesOf("relay", {10, 100, 10});
    nlohmann::ordered_json report;
    addLatencyComparison(report, hub, relay);
    EXPECT_DOUBLE_EQ(report.at("vs_relay_ratio"), 2);
    EXPECT_DOUBLE_EQ(report.at("vs_relay_p99_ratio"), 2);
    EXPECT_DOUBLE_EQ(report.at("relay_p50_us"), 10);
    EXPECT_THAT(latencyComparisonText(hub, relay),
                testing::HasSubstr("2.00 times as long as the relay at p50"));
}

TEST(LatencyReport, sums_the_faults_of_all_runs) {
    auto series = seriesOf("hub", {10, 20});
    series.runs[0].verdict.lost = 2;
    series.runs[1].verdict.lost = 3;
    nlohmann::ordered_json report;
    addLatency(report, series);
    EXPECT_EQ(report.at("lost"), 5);
}

}  // namespace
}  // namespace gazellemq::perf
