#include "SoakReport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gazellemq::perf {
namespace {

using testing::HasSubstr;

SoakResult cleanResult() {
    HubState const state{.residentBytes = 10'000'000, .descriptors = 12};
    return {.minutes = 1,
            .base = state,
            .end = state,
            .peakBytes = 20'000'000,
            .tally = {.messages = 1000, .verdict = {}}};
}

TEST(SoakReport, is_content_with_a_hub_that_came_back) {
    auto const result = cleanResult();
    EXPECT_EQ(complaint(result), "");
    EXPECT_EQ(toJson(result).at("ok"), true);
    EXPECT_EQ(toJson(result).at("messages"), 1000);
}

TEST(SoakReport, allows_the_memory_some_pages_more) {
    auto result = cleanResult();
    result.end.residentBytes = residentLimit(result.base);
    EXPECT_EQ(complaint(result), "");
    ++result.end.residentBytes;
    EXPECT_THAT(complaint(result), HasSubstr("27.0 MB instead of 10.0 MB"));
    EXPECT_EQ(toJson(result).at("ok"), false);
}

TEST(SoakReport, finds_descriptors_that_stayed_open_or_went) {
    auto result = cleanResult();
    result.end.descriptors = 13;
    EXPECT_EQ(complaint(result), "The hub has 13 open descriptors instead of 12.");
    result.end.descriptors = 11;
    EXPECT_NE(complaint(result), "");
}

TEST(SoakReport, finds_counters_that_did_not_come_back) {
    auto result = cleanResult();
    result.end.holdings.topics = 1;
    EXPECT_THAT(complaint(result), HasSubstr("0 connections, 0 subscriptions, 1 topic, 0 bytes in buffers instead of"));
    EXPECT_EQ(toJson(result).at("end_topics"), 1);
    result = cleanResult();
    result.end.holdings.bufferBytes = 1;
    EXPECT_NE(complaint(result), "");
}

TEST(SoakReport, tells_of_what_was_lost) {
    auto result = cleanResult();
    result.tally.verdict.lost = 3;
    EXPECT_THAT(complaint(result), HasSubstr("3 lost"));
}

}  // namespace
}  // namespace gazellemq::perf
