#include "LightMutex.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace gazellemq::client {
namespace {

/// As every Link does.
class LightMutexes : public testing::Test {
  protected:
    LightMutexes() { LightMutex::allowFavourites(); }

    void add(int times) {
        for (int i = 0; i < times; ++i) {
            std::lock_guard const lock{mutex};
            ++first;
            ++second;
        }
    }
    /// Would be unequal in the middle of another thread's section.
    bool consistent() {
        std::lock_guard const lock{mutex};
        return first == second;
    }

    LightMutex mutex;
    long first = 0;
    long second = 0;
};

TEST_F(LightMutexes, exclude_a_busy_thread_from_the_sections_of_one_that_comes_now_and_then) {
    constexpr int kTimes = 2'000'000;
    std::thread busy{[&] { add(kTimes); }};
    for (long seen = 0; seen < kTimes;) {
        EXPECT_TRUE(consistent());
        std::this_thread::yield();
        std::lock_guard const lock{mutex};
        seen = first;
    }
    busy.join();
    EXPECT_EQ(first, kTimes);
    EXPECT_EQ(second, kTimes);
}

TEST_F(LightMutexes, exclude_threads_that_are_equally_busy) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 200'000;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { add(kTimes); });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(first, kThreads * kTimes);
    EXPECT_EQ(second, kThreads * kTimes);
}

TEST_F(LightMutexes, let_a_thread_in_while_the_favourite_waits_for_a_condition) {
    add(1000);  // this thread is the favourite
    std::condition_variable_any changed;
    auto told = false;
    std::unique_lock lock{mutex};
    std::thread other{[&] {
        std::lock_guard const theirs{mutex};
        told = true;
        changed.notify_all();
    }};
    changed.wait(lock, [&] { return told; });
    lock.unlock();
    other.join();
    add(1000);
    EXPECT_EQ(first, 2000);
}

TEST_F(LightMutexes, hold_off_a_second_thread_until_the_favourite_leaves) {
    add(1000);
    std::unique_lock lock{mutex};
    auto inside = true;
    std::thread other{[&] {
        std::lock_guard const theirs{mutex};
        EXPECT_FALSE(inside);
    }};
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    inside = false;
    lock.unlock();
    other.join();
}

}  // namespace
}  // namespace gazellemq::client
