#include "Schedule.hpp"

#include <gtest/gtest.h>

namespace gazellemq::perf {
namespace {

TEST(Schedule, spreads_the_messages_evenly) {
    Schedule const schedule{1000, 50'000};
    EXPECT_EQ(schedule.dueAt(0), 1000);
    EXPECT_EQ(schedule.dueAt(1), 21'000);
    EXPECT_EQ(schedule.dueAt(50'000), 1'000'001'000);
}

TEST(Schedule, does_not_drift_when_the_rate_divides_no_second) {
    Schedule const schedule{0, 3};
    EXPECT_EQ(schedule.dueAt(1), 333'333'333);
    EXPECT_EQ(schedule.dueAt(3 * 3600), 3'600'000'000'000);
}

TEST(Schedule, has_nothing_due_before_its_start) {
    Schedule const schedule{1000, 50'000};
    EXPECT_EQ(schedule.dueBy(999), 0U);
    EXPECT_EQ(schedule.dueBy(1000), 1U);
}

TEST(Schedule, agrees_with_itself_about_when_a_message_is_due) {
    for (std::uint64_t const rate : {1U, 3U, 7U, 50'000U, 999'999U, 1'000'000U}) {
        Schedule const schedule{77, rate};
        for (std::uint64_t message = 0; message < 5000; ++message) {
            ASSERT_EQ(schedule.dueBy(schedule.dueAt(message)), message + 1) << "rate " << rate;
            if (message == 0) continue;
            ASSERT_EQ(schedule.dueBy(schedule.dueAt(message) - 1), message) << "rate " << rate;
        }
    }
}

}  // namespace
}  // namespace gazellemq::perf
