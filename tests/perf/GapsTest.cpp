#include "Gaps.hpp"

#include <gtest/gtest.h>

namespace gazellemq::perf {
namespace {

TEST(Gaps, a_number_is_taken_once) {
    Gaps gaps;
    gaps.add(10, 13);
    EXPECT_TRUE(gaps.take(11));
    EXPECT_FALSE(gaps.take(11));
    EXPECT_TRUE(gaps.take(10));
    EXPECT_TRUE(gaps.take(12));
    EXPECT_FALSE(gaps.take(12));
}

TEST(Gaps, numbers_outside_are_not_there) {
    Gaps gaps;
    EXPECT_FALSE(gaps.take(0));
    gaps.add(10, 13);
    EXPECT_FALSE(gaps.take(9));
    EXPECT_FALSE(gaps.take(13));
}

TEST(Gaps, several_ranges_stand_next_to_each_other) {
    Gaps gaps;
    gaps.add(1, 3);
    gaps.add(5, 7);
    EXPECT_TRUE(gaps.take(6));
    EXPECT_FALSE(gaps.take(4));
    EXPECT_TRUE(gaps.take(2));
    EXPECT_TRUE(gaps.take(5));
    EXPECT_TRUE(gaps.take(1));
}

}  // namespace
}  // namespace gazellemq::perf
