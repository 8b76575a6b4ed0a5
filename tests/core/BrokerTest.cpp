#include "Broker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using namespace std::chrono_literals;
using test::FakeClient;
using test::FakeHub;
using testing::ElementsAre;

class BrokerTest : public testing::Test {
  protected:
    /// What is in use is then what somebody waits for.
    static Limits retainingNothing() {
        Limits limits;
        limits.retainBytes = 0;
        return limits;
    }

    FakeHub hub{retainingNothing()};
    FakeClient publisher{hub};
};

TEST_F(BrokerTest, gives_each_subscription_its_own_copy_of_everything) {
    FakeClient first{hub};
    FakeClient second{hub};
    first.subscribe(1, "t");
    second.subscribe(1, "t");
    second.subscribe(2, "*");
    second.subscribe(3, "other");
    publisher.open(1, "t");
    std::vector<std::string> expected;
    for (int i = 0; i < 500; ++i) {
        expected.push_back(std::to_string(i));
        publisher.publish(1, expected.back());
    }
    EXPECT_EQ(first.payloads(), expected);
    EXPECT_EQ(second.messages.size(), 1000U);
    for (std::uint32_t const id : {1U, 2U}) {
        std::vector<std::string> got;
        for (auto const& message : second.messages) {
            if (message.subscription == id) got.push_back(message.payload);
        }
        EXPECT_EQ(got, expected) << "subscription " << id;
    }
    EXPECT_EQ(hub.broker().counters().messagesIn, 500U);
    EXPECT_EQ(hub.broker().counters().messagesOut, 1500U);
    EXPECT_EQ(hub.broker().counters().dropped.total(), 0U);
}

TEST_F(BrokerTest, a_subscriber_gets_what_comes_after_its_reply) {
    publisher.open(1, "t");
    publisher.publish(1, "before");
    FakeClient late{hub};
    late.subscribe(1, "t");
    publisher.publish(1, "after");
    EXPECT_THAT(late.payloads(), ElementsAre("after"));
    EXPECT_EQ(late.messages[0].offset, 1U) << "offsets count everything";
}

TEST_F(BrokerTest, offsets_strictly_increase_over_all_publishers_and_gaps_of_readers) {
    FakeClient other{hub};
    publisher.open(1, "t");
    other.open(1, "t");
    std::uint64_t next = 0;
    for (int round = 0; round < 20; ++round) {
        FakeClient reader{hub};
        reader.subscribe(1, "t");
        for (int i = 0; i < 10; ++i) {
            publisher.publish(1, std::vector<std::string>{"a", "b"});
            other.publish(1, "c");
        }
        ASSERT_EQ(reader.messages.size(), 30U);
        for (auto const& message : reader.messages) ASSERT_EQ(message.offset, next++);
    }
}

TEST_F(BrokerTest, keeps_the_order_of_each_publisher) {
    FakeClient reader{hub};
    reader.subscribe(1, ">");
    std::vector<std::unique_ptr<FakeClient>> publishers;
    for (int p = 0; p < 5; ++p) {
        publishers.push_back(std::make_unique<FakeClient>(hub));
        publishers.back()->open(1, "t");
    }
    test::Random random{1};
    std::vector<int> sent(5);
    for (int i = 0; i < 1000; ++i) {
        auto const p = test::pick(random, 0, 4);
        publishers[p]->publish(1, std::to_string(p) + ":" + std::to_string(sent[p]++));
    }
    std::vector<int> seen(5);
    for (auto const& payload : reader.payloads()) {
        auto const p = static_cast<std::size_t>(payload[0] - '0');
        ASSERT_EQ(payload.substr(2), std::to_string(seen[p]++));
    }
    EXPECT_EQ(seen, sent);
}

TEST_F(BrokerTest, a_wildcard_knows_the_topic_of_every_message) {
    FakeClient reader{hub};
    publisher.open(1, "a.old");
    reader.subscribe(1, "a.*");
    publisher.open(2, "a.new");
    publisher.open(3, "b.new");
    for (std::uint32_t const handle : {1U, 2U, 3U, 2U, 1U}) publisher.publish(handle, std::to_string(handle));
    std::vector<std::string> got;
    for (auto const& message : reader.messages) got.push_back(message.topic + "=" + message.payload);
    EXPECT_THAT(got, ElementsAre("a.old=1", "a.new=2", "a.new=2", "a.old=1"));
    EXPECT_EQ(reader.all<TopicNamed>().size(), 2U) << "each name is told once";
}

TEST_F(BrokerTest, an_echo_goes_to_its_own_publisher_too) {
    publisher.open(1, "t");
    publisher.subscribe(1, "t");
    publisher.publish(1, "me");
    EXPECT_THAT(publisher.payloads(), ElementsAre("me"));
}

TEST_F(BrokerTest, an_unsubscribe_frees_what_waited_for_it) {
    FakeClient reader{hub};
    reader.subscribe(1, "t", 0);
    publisher.open(1, "t");
    publisher.publishAll(1, std::string(30'000, 'x'));
    EXPECT_GT(hub.pool().bytesInUse(), 7'000'000U);
    EXPECT_FALSE(publisher.mayPublish(1));
    reader.unsubscribe(1);
    EXPECT_EQ(hub.pool().bytesInUse(), 0U);
    EXPECT_TRUE(publisher.mayPublish(1));
}

TEST_F(BrokerTest, a_subscriber_that_is_cut_frees_what_waited_for_it) {
    auto reader = std::make_unique<FakeClient>(hub);
    reader->reads = false;
    reader->subscribe(1, "t");
    reader->subscribe(2, ">");
    publisher.open(1, "t");
    publisher.publishAll(1, std::string(30'000, 'x'));
    EXPECT_FALSE(publisher.mayPublish(1));
    reader.reset();
    hub.settle();
    EXPECT_EQ(hub.pool().bytesInUse(), 0U);
    EXPECT_TRUE(publisher.mayPublish(1));
    EXPECT_EQ(hub.broker().subscriptionCount(), 0U);
}

TEST_F(BrokerTest, small_waiting_messages_do_not_hold_large_read_buffers) {
    FakeClient reader{hub};
    reader.subscribe(1, "t", 0);
    publisher.open(1, "t");
    for (int i = 0; i < 1000; ++i) publisher.publish(1, std::string(100, 'x'));
    EXPECT_LE(hub.pool().bytesInUse(), 1000 * (100 + test::kLoneOverhead) + 2 * BufferPool::kSlabBytes);
}

TEST_F(BrokerTest, one_blocked_topic_delays_no_other) {
    FakeClient stuck{hub};
    FakeClient reader{hub};
    stuck.subscribe(1, "slow", 0);
    reader.subscribe(1, "fast");
    publisher.open(1, "slow");
    publisher.open(2, "fast");
    publisher.publishAll(1, std::string(30'000, 'x'));
    EXPECT_FALSE(publisher.mayPublish(1));
    EXPECT_EQ(publisher.publishAll(2, std::string(30'000, 'x'), 500), 500U);
    EXPECT_EQ(reader.messages.size(), 500U);
    publisher.send(Ping{9});
    EXPECT_EQ(publisher.last<Pong>()->token, 9U);
}

TEST_F(BrokerTest, wakes_the_shell_once_until_it_has_looked) {
    int woken = 0;
    Broker broker{{}, BufferPool::create(), {}, [&] { ++woken; }};
    auto& session = broker.open("x");
    auto& other = broker.open("y");
    broker.wake(session);
    broker.wake(session);
    broker.wake(other);
    EXPECT_EQ(woken, 1);
    EXPECT_THAT(broker.takeAwake(), ElementsAre(&session, &other));
    broker.wake(session);
    EXPECT_EQ(woken, 2);
    broker.close(session);
    EXPECT_TRUE(broker.takeAwake().empty()) << "a closed session is not given out";
}

// The session's own subscription is what its publication waits for: freeing it must not wake a session that
// is being closed.
TEST_F(BrokerTest, closes_a_client_that_waits_for_itself) {
    auto loop = std::make_unique<FakeClient>(hub);
    loop->open(1, "t");
    loop->subscribe(1, "t", 0);
    loop->publishAll(1, std::string(30'000, 'x'));
    ASSERT_FALSE(loop->mayPublish(1));
    loop.reset();
    EXPECT_TRUE(hub.broker().takeAwake().empty());
    EXPECT_EQ(hub.broker().sessionCount(), 1U);
}

}  // namespace
}  // namespace gazellemq::hub
