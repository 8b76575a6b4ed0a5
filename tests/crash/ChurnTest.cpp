#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "Canary.hpp"
#include "RawClient.hpp"
#include "TwoWayHub.hpp"

/// B17: what once existed costs nothing. A few thousand rounds; with GAZELLE_TEST_FULL=1 a million, and what came out is printed.
namespace gazellemq::test {
namespace {

constexpr std::uint64_t kRoundsPerConnection = 10;
/// What two runs of the same may differ by: which buffers and pages are kept when they end.
constexpr std::size_t kAllocatorsOwn = 2 * 1024 * 1024;

std::uint64_t roundsChosen() { return std::getenv("GAZELLE_TEST_FULL") != nullptr ? 1'000'000 : 3'000; }

/// Two connections, and on each round a topic that nobody has used before, with a subscriber by name and one by pattern. False if a
/// message did not come.
bool churn(TwoWayHub const& hub, std::uint64_t connection) {
    auto const overUnix = connection % 2 == 0;
    auto const subscriber = hub.connect(overUnix);
    auto const publisher = hub.connect(overUnix);
    if (!subscriber->greet("churning subscriber") || !publisher->greet("churning publisher")) return false;
    for (std::uint32_t round = 0; round < kRoundsPerConnection; ++round) {
        auto const level = "churn." + std::to_string(connection) + "." + std::to_string(round);
        auto const topic = level + ".x";
        if (subscriber->subscribe(2 * round, topic) != Error::ok) return false;
        if (subscriber->subscribe(2 * round + 1, level + ".*") != Error::ok) return false;
        if (publisher->open(round, topic) != Error::ok || !publisher->publish(round, {"a message"})) return false;
        if (!subscriber->waitForMessages(2 * (round + 1))) return false;
        // Some are left to the end of the connection.
        if (round % 4 == 3) continue;
        if (subscriber->unsubscribe(2 * round) != Error::ok || subscriber->unsubscribe(2 * round + 1) != Error::ok) return false;
        publisher->sendFrame(protocol::CloseTopic{round});
    }
    if (connection % 3 == 0) subscriber->reset();
    if (connection % 3 == 1) publisher->sendFrame(protocol::Goodbye{});
    return subscriber->received().problem().empty() && publisher->received().problem().empty();
}

/// What the hub holds, in numbers that must come back.
struct Holdings {
    std::uint64_t connections, subscriptions, topics;
    bool operator==(Holdings const&) const = default;

    static Holdings of(TwoWayHub& hub) {
        return {hub.statistic("connections").value_or(0), hub.statistic("subscriptions").value_or(0), hub.statistic("topics").value_or(0)};
    }
};

TEST(Churn, of_connections_topics_and_subscriptions_leaves_nothing_in_the_hub_and_stops_no_other_topic) {
    TwoWayHub hub{{"--idle-topic-ttl", "100ms", "--drain-limit", "0s"}};
    Canary canary{hub.url(false)};
    ASSERT_EQ(canary.trouble(), "");
    std::atomic<std::uint64_t> connection{0};
    std::atomic<bool> good{true};
    auto const run = [&](std::uint64_t rounds) {
        auto const last = connection + rounds / kRoundsPerConnection;
        std::vector<std::thread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&] {
                for (auto mine = connection++; mine < last && good; mine = connection++) {
                    if (!churn(hub, mine)) good = false;
                }
            });
        }
        while (connection < last && good) {
            if (auto const trouble = canary.trouble(); !trouble.empty()) {
                ADD_FAILURE() << trouble;
                good = false;
            }
        }
        for (auto& thread : threads) thread.join();
    };
    auto const isBack = [&](Holdings const& wanted) {
        return eventually([&] { return Holdings::of(hub) == wanted; });
    };
    Holdings const base{2, 1, 1};

    auto const rounds = roundsChosen();
    // The first rounds fill what is kept for reuse.
    run(std::min<std::uint64_t>(rounds, 20'000));
    ASSERT_TRUE(good && isBack(base));
    auto const memoryBefore = hub.memory("VmRSS:");
    run(rounds);
    EXPECT_TRUE(good);
    EXPECT_TRUE(isBack(base)) << hub.log().substr(hub.log().rfind("statistics:"));
    auto const memoryAfter = hub.memory("VmRSS:");
    if (rounds > 100'000) {
        std::printf("%lu rounds: memory %.1f MB before, %.1f MB after\n", rounds, static_cast<double>(memoryBefore) / 1e6,
                    static_cast<double>(memoryAfter) / 1e6);
    }
    if (kMemoryTells) {
        EXPECT_LE(memoryAfter, memoryBefore + memoryBefore / 10 + kAllocatorsOwn);
    }
    EXPECT_EQ(canary.trouble(), "");
    EXPECT_EQ(hub.stop(), "exit 0");
}

}  // namespace
}  // namespace gazellemq::test
