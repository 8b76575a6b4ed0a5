#include "Report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Comparison.hpp"
#include "Statistics.hpp"

namespace gazellemq::perf {
namespace {

Series seriesOf(std::string const& middle, std::vector<double> const& seconds) {
    Series series{
        .middle = middle, .workload = {.messages = 1000, .size = 100, .subscribers = 2}, .runs = {}};
    for (auto const value : seconds) {
        RunResult run;
        run.seconds = value;
        run.middleCpu = value / 10;
        run.middlePeakBytes = 5e6;
        series.runs.push_back(run);
    }
    return series;
}

TEST(Statistics, the_median_is_the_middle_or_the_mean_of_two) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Report, holds_medians_and_every_run) {
    auto const report = toJson(seriesOf("hub", {0.1, 0.5, 0.2}));
    EXPECT_DOUBLE_EQ(report.at("elapsed_ms"), 200);
    EXPECT_DOUBLE_EQ(report.at("messages_per_second"), 5000);
    EXPECT_DOUBLE_EQ(report.at("delivered_per_second"), 10000);
    EXPECT_DOUBLE_EQ(report.at("megabytes_per_second"), 0.5);
    EXPECT_DOUBLE_EQ(report.at("cpu_seconds").at("hub"), 0.02);
    EXPECT_DOUBLE_EQ(report.at("hub_cpu_ns_per_message"), 20000);
    EXPECT_EQ(report.at("hub_peak_rss_bytes"), 5'000'000);
    EXPECT_EQ(report.at("runs"), 3);
    EXPECT_EQ(report.at("per_run").size(), 3U);
}

TEST(Report, what_was_not_measured_is_null) {
    auto series = seriesOf("hub", {0.1});
    series.runs[0].middleCpu.reset();
    series.runs[0].middlePeakBytes.reset();
    auto const report = toJson(series);
    EXPECT_TRUE(report.at("hub_cpu_ns_per_message").is_null());
    EXPECT_TRUE(report.at("hub_peak_rss_bytes").is_null());
}

TEST(Report, compares_runs_in_pairs) {
    auto const hub = seriesOf("hub", {0.2, 1.0, 0.3});
    auto const relay = seriesOf("relay", {0.1, 1.0, 0.1});
    nlohmann::ordered_json report;
    addComparison(report, hub, relay);
    EXPECT_DOUBLE_EQ(report.at("vs_relay_ratio"), 0.5);
    EXPECT_DOUBLE_EQ(report.at("hub_vs_relay_cpu_ratio"), 2);
}

TEST(Report, complains_about_faults_only) {
    auto series = seriesOf("hub", {0.1});
    EXPECT_EQ(complaint(series), "");
    series.runs[0].verdict.lost = 3;
    EXPECT_NE(complaint(series).find("3 lost"), std::string::npos);
}

}  // namespace
}  // namespace gazellemq::perf
