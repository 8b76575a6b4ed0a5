#include "StalledTally.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Report.hpp"

namespace gazellemq::perf {
namespace {

Series seriesWith(StalledTally const& tally) {
    RunResult run;
    run.seconds = 1;
    run.stalled = tally;
    return {.middle = "hub", .workload = {.messages = 100, .stalled = 2}, .runs = {run}};
}

TEST(StalledTally, counts_what_is_neither_received_nor_dropped) {
    StalledTally tally;
    tally.add(100, 40, 60, false);
    EXPECT_EQ(tally.unaccounted, 0U);
    tally.add(100, 40, 50, false);
    EXPECT_EQ(tally.unaccounted, 10U);
    tally.add(100, 60, 60, false);
    EXPECT_EQ(tally.unaccounted, 30U) << "too many are as wrong as too few";
    EXPECT_EQ(tally.received, 140U);
    EXPECT_EQ(tally.dropped, 170U);
}

TEST(StalledTally, expects_nothing_of_a_link_that_was_ended) {
    StalledTally tally;
    tally.add(100, 40, 0, true);
    EXPECT_EQ(tally.unaccounted, 0U);
    EXPECT_EQ(tally.cut, 1U);
}

TEST(Report, complains_of_stalled_subscribers_that_miss_messages_or_were_cut_against_the_policy) {
    EXPECT_EQ(complaint(seriesWith({.received = 100, .dropped = 100})), "");
    EXPECT_NE(complaint(seriesWith({.received = 100, .dropped = 99, .unaccounted = 1})).find("1 message"), std::string::npos);
    auto series = seriesWith({.received = 50, .cut = 2});
    EXPECT_NE(complaint(series).find("2 stalled subscribers"), std::string::npos);
    series.workload.stalledAreCut = true;
    EXPECT_EQ(complaint(series), "");
}

TEST(Report, compares_runs_beside_stalled_subscribers_with_runs_without) {
    auto const with = seriesWith({.received = 150, .dropped = 50});
    auto without = with;
    without.workload.stalled = 0;
    without.runs[0].stalled.reset();
    without.runs[0].seconds = 0.5;
    auto report = toJson(with);
    addWithoutStalled(report, with, without);
    EXPECT_DOUBLE_EQ(report.at("vs_without_ratio"), 0.5);
    EXPECT_EQ(report.at("stalled"), 2);
    EXPECT_EQ(report.at("stalled_dropped"), 50);
    EXPECT_FALSE(report.at("without").contains("stalled"));
}

}  // namespace
}  // namespace gazellemq::perf
