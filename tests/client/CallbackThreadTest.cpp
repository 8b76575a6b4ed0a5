#include "CallbackThread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "Waiting.hpp"

namespace gazellemq::client {
namespace {

using namespace test;
using Clock = std::chrono::steady_clock;

TEST(CallbackThread, runs_work_in_the_order_of_post_on_one_thread) {
    CallbackThread thread;
    Inbox<int> order;
    Inbox<std::thread::id> ids;
    for (int i = 0; i < 1000; ++i) {
        thread.post([&, i] {
            order.add(i);
            ids.add(std::this_thread::get_id());
        });
    }
    ASSERT_TRUE(ids.waitFor(1000));
    auto const all = order.all();
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
    EXPECT_THAT(ids.all(), testing::Each(ids.all().front()));
    EXPECT_NE(ids.all().front(), std::this_thread::get_id());
}

TEST(CallbackThread, knows_whether_it_is_the_caller) {
    CallbackThread thread;
    Inbox<bool> current;
    thread.post([&] { current.add(thread.isCurrent()); });
    ASSERT_TRUE(current.waitFor(1));
    EXPECT_TRUE(current.all().front());
    EXPECT_FALSE(thread.isCurrent());
}

TEST(CallbackThread, work_may_post_more_work) {
    CallbackThread thread;
    Gate done;
    std::function<void(int)> again = [&](int left) {
        if (left == 0) return done.open();
        thread.post([&again, left] { again(left - 1); });
    };
    thread.post([&] { again(100); });
    EXPECT_TRUE(done.wait());
}

TEST(CallbackThread, stop_waits_for_the_running_work_and_forgets_the_waiting) {
    Gate runs, go;
    OpensAtEnd const opens{go};
    std::atomic<bool> returned{false}, second{false};
    CallbackThread thread;
    thread.post([&] {
        runs.open();
        go.wait();
        returned = true;
    });
    thread.post([&] { second = true; });
    ASSERT_TRUE(runs.wait());
    std::thread opener{[&] {
        EXPECT_TRUE(eventually([&] { return thread.waitUntilIdle(Clock::now()); })) << "while work runs: only when it is stopped";
        go.open();
    }};
    thread.stop();
    EXPECT_TRUE(returned);
    opener.join();
    thread.post([&] { second = true; });
    thread.stop();
    EXPECT_FALSE(second);
    EXPECT_TRUE(thread.waitUntilIdle(Clock::now()));
}

TEST(CallbackThread, may_be_stopped_and_destroyed_by_its_own_work) {
    Watchdog const watchdog{"a callback thread destroyed by its own work"};
    auto const ended = std::make_shared<Gate>();
    {
        auto thread = std::make_shared<CallbackThread>();
        auto* const raw = thread.get();
        raw->post([thread = std::move(thread), ended]() mutable {
            thread->stop();
            thread.reset();
            ended->open();
        });
    }
    EXPECT_TRUE(ended->wait());
}

TEST(CallbackThread, a_second_stop_waits_for_work_that_has_stopped_it_itself) {
    Gate stopped, go;
    OpensAtEnd const opens{go};
    std::atomic<bool> returned{false};
    CallbackThread thread;
    thread.post([&] {
        thread.stop();
        stopped.open();
        go.wait();
        returned = true;
    });
    ASSERT_TRUE(stopped.wait());
    std::thread opener{[&] { go.open(); }};
    thread.stop();
    EXPECT_TRUE(returned);
    opener.join();
}

TEST(CallbackThread, tells_when_it_is_idle_and_when_not_in_time) {
    Gate runs, go;
    OpensAtEnd const opens{go};
    CallbackThread thread;
    EXPECT_TRUE(thread.idle());
    EXPECT_TRUE(thread.waitUntilIdle(Clock::time_point::max()));
    thread.post([&] {
        runs.open();
        go.wait();
    });
    ASSERT_TRUE(runs.wait());
    EXPECT_FALSE(thread.idle());
    EXPECT_FALSE(thread.waitUntilIdle(Clock::now() + 1ms));
    go.open();
    EXPECT_TRUE(thread.waitUntilIdle(Clock::time_point::max()));
    EXPECT_TRUE(thread.idle());
}

TEST(CallbackThread, frees_the_work_it_forgets_without_its_lock) {
    struct AsksAtEnd {
        AsksAtEnd(CallbackThread& of, std::atomic<int>& count) : thread(of), freed(count) {}
        CallbackThread& thread;
        std::atomic<int>& freed;
        ~AsksAtEnd() {
            thread.idle();  // would deadlock under the lock
            ++freed;
        }
    };
    Watchdog const watchdog{"freeing forgotten work"};
    std::atomic<int> freed{0};
    Gate runs, go;
    OpensAtEnd const opens{go};
    CallbackThread thread;
    thread.post([&] {
        runs.open();
        go.wait();
    });
    ASSERT_TRUE(runs.wait());
    thread.post([owned = std::make_shared<AsksAtEnd>(thread, freed)] {});
    std::thread opener{[&] { go.open(); }};
    thread.stop();
    opener.join();
    EXPECT_EQ(freed, 1);
}

TEST(CallbackThread, many_threads_may_post_while_it_is_stopped) {
    for (int i = 0; i < 50; ++i) {
        std::atomic<int> ran{0};
        CallbackThread thread;
        std::vector<std::thread> threads;
        for (int k = 0; k < 4; ++k) {
            threads.emplace_back([&] {
                for (int j = 0; j < 100; ++j) thread.post([&] { ++ran; });
            });
        }
        thread.stop();
        auto const atStop = ran.load();
        for (auto& each : threads) each.join();
        EXPECT_EQ(ran, atStop);
    }
}

}  // namespace
}  // namespace gazellemq::client
