#include "Latency.hpp"

#include <gtest/gtest.h>

namespace gazellemq::perf {
namespace {

TEST(Latency, is_zero_without_samples) { EXPECT_EQ(latencyOf({}).max, 0); }

TEST(Latency, of_one_sample_is_that_sample) {
    auto const latency = latencyOf({1500});
    for (auto const& figure : kLatencyFigures) EXPECT_DOUBLE_EQ(latency.*figure.value, 1.5) << figure.name;
}

TEST(Latency, is_the_sample_that_so_many_do_not_exceed) {
    std::vector<std::int64_t> samples;
    for (int us = 1000; us >= 1; --us) samples.push_back(us * 1000);
    auto const latency = latencyOf(std::move(samples));
    EXPECT_DOUBLE_EQ(latency.p50, 500);
    EXPECT_DOUBLE_EQ(latency.p90, 900);
    EXPECT_DOUBLE_EQ(latency.p99, 990);
    EXPECT_DOUBLE_EQ(latency.p999, 999);
    EXPECT_DOUBLE_EQ(latency.max, 1000);
}

TEST(Latency, of_few_samples_takes_the_higher_one) {
    auto const latency = latencyOf({3000, 1000, 2000});
    EXPECT_DOUBLE_EQ(latency.p50, 2);
    EXPECT_DOUBLE_EQ(latency.p99, 3);
}

}  // namespace
}  // namespace gazellemq::perf
