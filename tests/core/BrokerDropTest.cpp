#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "Broker.hpp"
#include "FakeClient.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;

constexpr std::size_t kWindow = 256 * 1024;

/// Subscribers by wildcard lose the oldest, slow nobody, and are told how much they lost.
class BrokerDrop : public testing::Test {
  protected:
    static Limits limits() {
        Limits limits;
        limits.windowBytes = kWindow;
        return limits;
    }

    FakeHub hub{limits()};
    FakeClient publisher{hub};
    FakeClient slow{hub};
};

TEST_F(BrokerDrop, received_and_dropped_are_together_what_was_published) {
    publisher.open(1, "t");
    slow.subscribe(1, "*", 0);
    EXPECT_EQ(publisher.publishAll(1, std::string(1000, 'x'), 3000), 3000U) << "nobody is slowed";
    EXPECT_LE(hub.pool().bytesInUse(), 2 * kWindow);
    EXPECT_TRUE(slow.dropped.empty()) << "it is told when something follows";
    slow.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(slow.messages.size() + slow.dropped["t"], 3000U);
    EXPECT_EQ(slow.messages.front().offset, slow.dropped["t"]) << "the oldest went";
    EXPECT_EQ(slow.messages.back().offset, 2999U);
    EXPECT_GE(slow.messages.size(), kWindow * 3 / 4 / (1000 + test::kLoneOverhead))
        << "a window full is kept";
    EXPECT_EQ(hub.broker().counters().dropped.total(), slow.dropped["t"]);
}

TEST_F(BrokerDrop, messages_of_batches_are_counted_one_by_one) {
    publisher.open(1, "t");
    slow.subscribe(1, ">", 0);
    for (int i = 0; i < 1000; ++i) publisher.publish(1, std::vector<std::string>(7, std::string(100, 'x')));
    slow.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(slow.messages.size() + slow.dropped["t"], 7000U);
    EXPECT_EQ(slow.messages.size() % 7, 0U) << "whole batches go";
}

TEST_F(BrokerDrop, is_counted_for_each_topic) {
    publisher.open(1, "a.busy");
    publisher.open(2, "a.calm");
    slow.subscribe(1, "a.*", 0);
    publisher.publish(2, "calm");
    publisher.publishAll(1, std::string(1000, 'x'), 2000);
    slow.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(slow.dropped.count("a.calm"), 0U);
    EXPECT_GT(slow.dropped["a.busy"], 0U);
    EXPECT_EQ(slow.messages.size() + slow.dropped["a.busy"], 2001U);
}

TEST_F(BrokerDrop, of_topics_that_nobody_publishes_to_makes_room_when_memory_is_short) {
    for (auto const policy : {SlowPolicy::dropOldest, SlowPolicy::disconnect}) {
        auto tight = limits();
        tight.slowWildcard = policy;
        tight.maxMemory = 4 * kWindow;
        FakeHub small{tight};
        FakeClient source{small};
        FakeClient stuck{small};
        FakeClient reading{small};
        stuck.subscribe(1, ">", 0);
        reading.subscribe(1, ">");
        constexpr std::uint32_t kTopics = 30;
        constexpr std::size_t kMessages = 200;
        for (std::uint32_t t = 0; t < kTopics; ++t) {
            source.open(t, "t." + std::to_string(t));
            ASSERT_EQ(source.publishAll(t, std::string(1000, 'x'), kMessages), kMessages) << "nobody is slowed by it: " << t;
        }
        EXPECT_EQ(reading.messages.size(), kTopics * kMessages) << "only the slow one loses";
        EXPECT_TRUE(reading.dropped.empty());
        if (policy == SlowPolicy::disconnect) {
            EXPECT_EQ(stuck.goodbye(), Error::slowConsumer);
            continue;
        }
        stuck.send(Credit{1, FakeClient::kUnlimited});
        auto accounted = stuck.messages.size();
        for (auto const& [topic, count] : stuck.dropped) accounted += count;
        EXPECT_EQ(accounted, kTopics * kMessages);
        EXPECT_EQ(stuck.goodbye(), Error::ok);
    }
}

TEST_F(BrokerDrop, of_everything_is_told_before_the_topic_goes) {
    auto tight = limits();
    tight.maxMemory = 4 * kWindow;
    tight.idleTopicTtl = std::chrono::milliseconds{0};
    FakeHub small{tight};
    FakeClient source{small};
    FakeClient stuck{small};
    source.open(1, "t");
    stuck.subscribe(1, "*", 0);
    ASSERT_TRUE(source.publish(1, std::string(150'000, 'x')));
    source.open(2, "other");
    auto others = small.pool().take(4 * kWindow);
    source.publishAll(2, "until the credit is used up", 100'000);
    source.send(CloseTopic{1});
    small.advance(std::chrono::seconds{2});
    EXPECT_EQ(small.broker().topicCount(), 2U);
    stuck.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(stuck.dropped["t"], 1U);
    small.advance(std::chrono::seconds{2});
    EXPECT_EQ(small.broker().topicCount(), 1U);
    EXPECT_FALSE(stuck.brokenStream);
}

TEST_F(BrokerDrop, does_not_touch_a_reader_by_name) {
    FakeClient named{hub};
    publisher.open(1, "t");
    slow.subscribe(1, ">", 0);
    named.subscribe(1, "t", 0);
    auto published = publisher.publishAll(1, std::string(1000, 'x'));
    EXPECT_FALSE(publisher.mayPublish(1)) << "that one does slow publishers";
    named.send(Credit{1, FakeClient::kUnlimited});
    published += publisher.publishAll(1, std::string(1000, 'x'), 1000);
    EXPECT_EQ(named.messages.size(), published);
    EXPECT_TRUE(named.dropped.empty());
    slow.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_GT(slow.dropped["t"], 0U);
    EXPECT_EQ(slow.messages.size() + slow.dropped["t"], published);
}

TEST_F(BrokerDrop, a_message_larger_than_the_window_is_delivered_and_the_rest_counted) {
    publisher.open(1, "t");
    slow.subscribe(1, ">", 0);
    for (int i = 0; i < 10; ++i) publisher.publish(1, "small");
    publisher.publish(1, std::string(3 * kWindow, 'L'));
    slow.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(slow.messages.size(), 1U);
    EXPECT_EQ(slow.dropped["t"], 10U);
    publisher.publish(1, "after");
    EXPECT_EQ(slow.messages.back().payload, "after");
}

TEST_F(BrokerDrop, a_full_socket_of_one_holds_only_its_own) {
    FakeClient good{hub};
    publisher.open(1, "t");
    slow.subscribe(1, ">");
    good.subscribe(1, ">");
    slow.reads = false;
    publisher.publishAll(1, std::string(1000, 'x'), 3000);
    EXPECT_EQ(good.messages.size(), 3000U);
    EXPECT_TRUE(good.dropped.empty());
    slow.reads = true;
    slow.read();
    hub.settle();
    EXPECT_EQ(slow.messages.size() + slow.dropped["t"], 3000U);
    EXPECT_FALSE(slow.brokenStream);
}

/// Several slow readers with credit that comes in portions, and a topic per publisher: all counts are exact
/// at the end.
TEST_F(BrokerDrop, counts_are_exact_in_a_random_run) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        SCOPED_TRACE(seed);
        test::Random random{seed};
        FakeHub busy{limits()};
        FakeClient sender{busy};
        std::list<FakeClient> readers;
        std::vector<std::uint64_t> credit(4);
        std::map<std::string, std::uint64_t> published;
        for (std::uint32_t t = 1; t <= 3; ++t) sender.open(t, "t." + std::to_string(t));
        for (auto const* const pattern : {">", "t.*", "*.1", "t.1"})
            readers.emplace_back(busy).subscribe(1, pattern, 0);
        for (int step = 0; step < 1500; ++step) {
            auto const t = static_cast<std::uint32_t>(test::pick(random, 1, 3));
            if (sender.mayPublish(t)) {
                std::vector<std::string> const batch(test::pick(random, 1, 9),
                                                     std::string(test::pick(random, 0, 2000), 'x'));
                sender.publish(t, batch);
                published["t." + std::to_string(t)] += batch.size();
            }
            auto const r = test::pick(random, 0, 3);
            auto& one = *std::next(readers.begin(), static_cast<std::ptrdiff_t>(r));
            one.send(Credit{1, credit[r] += test::pick(random, 0, 5000)});
        }
        std::uint64_t dropped = 0;
        for (auto& one : readers) {
            one.send(Credit{1, FakeClient::kUnlimited});
            std::map<std::string, std::uint64_t> got = one.dropped;
            for (auto const& [topic, count] : one.dropped) dropped += count;
            std::map<std::string, std::uint64_t> next;
            for (auto const& message : one.messages) {
                ++got[message.topic];
                ASSERT_GE(message.offset, next[message.topic]);
                next[message.topic] = message.offset + 1;
            }
            for (auto const& [topic, count] : got) EXPECT_EQ(count, published[topic]) << topic;
            EXPECT_FALSE(one.brokenStream);
        }
        EXPECT_EQ(busy.broker().counters().dropped.total(), dropped);
        EXPECT_GT(dropped, 0U);
        EXPECT_TRUE(readers.back().dropped.empty()) << "the reader by name loses nothing";
    }
}

}  // namespace
}  // namespace gazellemq::hub
