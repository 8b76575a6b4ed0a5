#include "Backoff.hpp"

#include <gtest/gtest.h>

namespace gazellemq::client {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, doubles_from_the_least_to_the_most_pause) {
    Backoff backoff{50ms, 2000ms};
    for (auto const expected : {50, 100, 200, 400, 800, 1600, 2000, 2000, 2000}) EXPECT_EQ(backoff.next(0).count(), expected);
}

TEST(Backoff, is_shortened_at_random_by_at_most_half) {
    Backoff backoff{1000ms, 1000ms};
    EXPECT_EQ(backoff.next(0), 1000ms);
    EXPECT_EQ(backoff.next(0.5), 750ms);
    EXPECT_EQ(backoff.next(1), 500ms);
}

TEST(Backoff, grows_by_the_full_pause_whatever_the_random_part) {
    Backoff backoff{100ms, 1000ms};
    backoff.next(1);
    EXPECT_EQ(backoff.next(0), 200ms);
}

TEST(Backoff, begins_again_after_reset) {
    Backoff backoff{50ms, 2000ms};
    for (int i = 0; i < 10; ++i) backoff.next(0.3);
    backoff.reset();
    EXPECT_EQ(backoff.next(0), 50ms);
}

TEST(Backoff, never_pauses_for_zero_and_survives_a_most_below_the_least) {
    Backoff zero{0ms, 0ms};
    EXPECT_EQ(zero.next(0), 1ms);
    EXPECT_EQ(zero.next(0), 1ms);
    Backoff turned{100ms, 10ms};
    EXPECT_EQ(turned.next(0), 100ms);
    EXPECT_EQ(turned.next(0), 100ms);
}

TEST(Backoff, does_not_overflow_at_the_longest_pauses) {
    Backoff backoff{1ms, 24h * 365};
    auto before = 0ms;
    for (int i = 0; i < 200; ++i) {
        auto const pause = backoff.next(0);
        EXPECT_GE(pause, before);
        EXPECT_LE(pause, 24h * 365);
        before = pause;
    }
}

}  // namespace
}  // namespace gazellemq::client
