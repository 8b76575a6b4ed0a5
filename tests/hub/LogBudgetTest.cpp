#include "LogBudget.hpp"

#include <gtest/gtest.h>

namespace gazellemq::hub {
namespace {

int taken(LogBudget& budget, int lines, std::int64_t nowMs) {
    int count = 0;
    for (int i = 0; i < lines; ++i) count += budget.take(nowMs) ? 1 : 0;
    return count;
}

TEST(LogBudget, lets_so_many_lines_a_second_through) {
    LogBudget budget{10};
    EXPECT_EQ(taken(budget, 100, 5'000), 10);
    EXPECT_EQ(taken(budget, 100, 5'050), 0);
    EXPECT_EQ(taken(budget, 100, 5'100), 1);
    EXPECT_EQ(taken(budget, 100, 5'600), 5);
    EXPECT_EQ(taken(budget, 100, 60'000), 10) << "a long rest saves no more than a second's lines";
}

TEST(LogBudget, loses_nothing_of_short_times) {
    LogBudget budget{10};
    EXPECT_EQ(taken(budget, 10, 0), 10);
    int count = 0;
    for (std::int64_t now = 1; now <= 1000; ++now) count += taken(budget, 1, now);
    EXPECT_EQ(count, 10);
    for (std::int64_t now = 1150; now <= 4000; now += 150) count += taken(budget, 2, now);
    EXPECT_EQ(count, 10 + 30) << "nor of the parts of a line";
}

TEST(LogBudget, tells_once_how_many_lines_were_left_out) {
    LogBudget budget{2};
    EXPECT_EQ(taken(budget, 7, 1000), 2);
    EXPECT_EQ(budget.takeLeftOut(1000), 0u) << "not even that line";
    EXPECT_EQ(budget.takeLeftOut(2000), 5u);
    EXPECT_EQ(budget.takeLeftOut(2000), 0u);
}

TEST(LogBudget, bears_a_clock_that_stands_still_or_goes_back) {
    LogBudget budget{2};
    EXPECT_EQ(taken(budget, 3, 1000), 2);
    EXPECT_EQ(taken(budget, 3, 500), 0);
    EXPECT_EQ(taken(budget, 3, 2000), 2);
}

}  // namespace
}  // namespace gazellemq::hub
