#include "ReconnectReport.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gazellemq::perf {
namespace {

TEST(ReconnectReport, tells_the_median_and_the_extremes_of_the_restarts) {
    auto const report = toJson({.clients = 10, .downMs = 0, .readyMs = {30, 10, 50}});
    EXPECT_EQ(report.at("clients"), 10);
    EXPECT_EQ(report.at("links"), 20);
    EXPECT_EQ(report.at("runs"), 3);
    EXPECT_EQ(report.at("ready_ms"), 30);
    EXPECT_EQ(report.at("ready_min_ms"), 10);
    EXPECT_EQ(report.at("ready_max_ms"), 50);
}

}  // namespace
}  // namespace gazellemq::perf
