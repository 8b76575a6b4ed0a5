#include "IdleReport.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gazellemq::perf {
namespace {

IdleResult const kResult{.connections = 1000,
                         .readyMs = 50,
                         .baseBytes = 5'000'000,
                         .idleBytes = 9'000'000,
                         .seconds = 10,
                         .cpuSeconds = 0.2,
                         .heartbeats = 2000};

TEST(IdleReport, tells_the_share_of_one_connection_and_of_one_processor) {
    auto const report = toJson(kResult);
    EXPECT_EQ(report.at("connections"), 1000);
    EXPECT_EQ(report.at("ready_ms"), 50);
    EXPECT_EQ(report.at("hub_rss_bytes"), 9'000'000);
    EXPECT_DOUBLE_EQ(report.at("bytes_per_connection"), 4000);
    EXPECT_DOUBLE_EQ(report.at("hub_cpu_percent"), 2);
}

TEST(IdleReport, a_hub_that_became_smaller_has_no_bytes_per_connection) {
    auto result = kResult;
    result.idleBytes = result.baseBytes - 1;
    EXPECT_EQ(toJson(result).at("bytes_per_connection"), 0);
}

}  // namespace
}  // namespace gazellemq::perf
