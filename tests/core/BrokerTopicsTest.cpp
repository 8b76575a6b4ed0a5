#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Broker.hpp"
#include "FakeClient.hpp"
#include "TopicName.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using namespace std::chrono_literals;
using test::FakeClient;
using test::FakeHub;
using testing::ElementsAre;

/// The life of topics: made by their first use, removed when nobody has used them for a while.
class BrokerTopics : public testing::Test {
  protected:
    static Limits limits() {
        Limits limits;
        limits.idleTopicTtl = 10s;
        limits.heartbeat = 1h;
        limits.stallLimit = 1h;
        return limits;
    }

    FakeHub hub{limits()};
    FakeClient client{hub};
};

TEST_F(BrokerTopics, are_made_by_publishers_and_by_subscribers_by_name) {
    client.open(1, "a");
    client.subscribe(1, "b");
    client.subscribe(2, "c.*");
    EXPECT_EQ(hub.broker().topicCount(), 2U);
    client.open(2, "b");
    EXPECT_EQ(hub.broker().topicCount(), 2U);
}

TEST_F(BrokerTopics, go_when_nobody_has_used_them_for_the_ttl) {
    client.open(1, "a");
    client.subscribe(1, "b");
    hub.advance(60s);
    EXPECT_EQ(hub.broker().topicCount(), 2U) << "both are in use";
    client.send(CloseTopic{1});
    hub.advance(9500ms);
    EXPECT_EQ(hub.broker().topicCount(), 2U);
    hub.advance(500ms);
    EXPECT_EQ(hub.broker().topicCount(), 1U);
    client.unsubscribe(1);
    hub.advance(11s);
    EXPECT_EQ(hub.broker().topicCount(), 0U);
}

TEST_F(BrokerTopics, stay_when_they_are_used_again_in_time) {
    for (int i = 0; i < 10; ++i) {
        client.open(1, "a");
        client.publish(1, "x");
        client.send(CloseTopic{1});
        hub.advance(8s);
        ASSERT_EQ(hub.broker().topicCount(), 1U);
    }
    hub.advance(11s);
    EXPECT_EQ(hub.broker().topicCount(), 0U);
}

TEST_F(BrokerTopics, are_used_anew_after_they_have_gone) {
    client.open(1, "a");
    client.send(CloseTopic{1});
    hub.advance(20s);
    client.open(1, "a");
    client.subscribe(1, "a");
    client.publish(1, "x");
    EXPECT_THAT(client.payloads(), ElementsAre("x"));
}

TEST_F(BrokerTopics, that_exist_already_are_found_by_exactly_the_wildcards_that_match) {
    std::vector<std::string> const names{"a", "a.b", "a.b.c", "a.c", "a-b", "ab", "ab.c", "b", "b.a", "zz.z"};
    std::uint32_t handle = 0;
    for (auto const& name : names) ASSERT_EQ(client.open(handle++, name), Error::ok) << name;
    for (std::string const pattern : {"*", ">", "a.*", "a.>", "a.b.*", "*.b", "*.>", "b.>", "zz.*", "zzz.*", "0.*"}) {
        FakeClient wild{hub};
        wild.subscribe(1, pattern);
        std::vector<std::string> matching;
        for (std::uint32_t i = 0; i < handle; ++i) {
            client.publish(i, names[i]);
            if (matches(pattern, names[i])) matching.push_back(names[i]);
        }
        EXPECT_EQ(wild.payloads(), matching) << pattern;
    }
}

TEST_F(BrokerTopics, are_not_kept_by_wildcards_which_are_told) {
    FakeClient wild{hub};
    wild.subscribe(1, "a.*");
    client.open(1, "a.b");
    client.publish(1, "x");
    client.open(2, "a.never_used");
    client.send(CloseTopic{1});
    client.send(CloseTopic{2});
    hub.advance(20s);
    EXPECT_EQ(hub.broker().topicCount(), 0U);
    ASSERT_EQ(wild.all<TopicGone>().size(), 1U) << "a name that was never told is not taken back";
    EXPECT_EQ(wild.all<TopicGone>()[0].handle, wild.all<TopicNamed>()[0].handle);
    client.open(1, "a.b");
    client.publish(1, "y");
    EXPECT_THAT(wild.payloads(), ElementsAre("x", "y"));
    EXPECT_EQ(wild.all<TopicNamed>().size(), 2U) << "the name is told again";
    EXPECT_FALSE(wild.brokenStream);
}

TEST_F(BrokerTopics, are_kept_while_a_wildcard_has_something_to_take) {
    FakeClient wild{hub};
    wild.subscribe(1, "a.*", 0);
    client.open(1, "a.b");
    client.publish(1, "x");
    client.send(CloseTopic{1});
    hub.advance(60s);
    EXPECT_EQ(hub.broker().topicCount(), 1U);
    wild.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_THAT(wild.payloads(), ElementsAre("x"));
    hub.advance(20s);
    EXPECT_EQ(hub.broker().topicCount(), 0U);
}

TEST_F(BrokerTopics, go_at_once_with_a_ttl_of_zero_and_a_wildcard_that_takes_nothing) {
    Limits hasty = limits();
    hasty.idleTopicTtl = 0s;
    FakeHub other{hasty};
    FakeClient wild{other};
    FakeClient publisher{other};
    wild.subscribe(1, ">", 0);
    publisher.open(1, "t");
    publisher.publish(1, "x");
    publisher.send(CloseTopic{1});
    other.advance(1s);  // must come back although the topic cannot go yet
    EXPECT_EQ(other.broker().topicCount(), 1U);
    wild.send(Credit{1, FakeClient::kUnlimited});
    other.advance(1s);
    EXPECT_EQ(other.broker().topicCount(), 0U);
}

TEST_F(BrokerTopics, churn_leaves_nothing_behind) {
    for (int i = 0; i < 2000; ++i) {
        auto const name = "churn." + std::to_string(i);
        client.subscribe(1, name);
        client.open(1, name);
        client.publish(1, "x");
        client.unsubscribe(1);
        client.send(CloseTopic{1});
        if (i % 100 == 0) {
            client.received.clear();
            hub.advance(1s);
        }
    }
    hub.advance(11s);
    EXPECT_EQ(hub.broker().topicCount(), 0U);
    EXPECT_EQ(hub.broker().subscriptionCount(), 0U);
    EXPECT_EQ(client.messages.size(), 2000U);
    client.write({});
    EXPECT_EQ(hub.pool().bytesInUse(), 0U);
}

TEST_F(BrokerTopics, have_a_limit) {
    Limits few = limits();
    few.maxTopics = 2;
    FakeHub other{few};
    FakeClient user{other};
    EXPECT_EQ(user.open(1, "a"), Error::ok);
    EXPECT_EQ(user.subscribe(1, "b"), Error::ok);
    EXPECT_EQ(user.open(2, "c"), Error::tooManyTopics);
    EXPECT_EQ(user.subscribe(2, "d"), Error::tooManyTopics);
    EXPECT_EQ(user.subscribe(3, "*"), Error::ok) << "a wildcard makes none";
    EXPECT_EQ(user.open(4, "b"), Error::ok) << "what is there can be used";
    EXPECT_EQ(user.subscribe(4, "a"), Error::ok);
    EXPECT_EQ(other.broker().topicCount(), 2U);
    user.send(CloseTopic{1});
    user.unsubscribe(4);
    other.advance(11s);
    EXPECT_EQ(user.open(2, "c"), Error::ok) << "one has gone";
}

// Telling a client that topics have gone can be what ends it, while its cursors are being removed.
TEST_F(BrokerTopics, that_go_end_a_client_that_never_reads) {
    Limits small = limits();
    small.maxControlBytes = 1000;
    FakeHub other{small};
    FakeClient publisher{other};
    FakeClient wild{other};
    wild.subscribe(1, ">");
    for (std::uint32_t i = 1; i <= 200; ++i) {
        publisher.open(i, "t." + std::to_string(i));
        publisher.publish(i, "x");
    }
    wild.reads = false;
    for (std::uint32_t i = 1; i <= 200; ++i) publisher.send(CloseTopic{i});
    wild.send(Ping{1});  // fills the socket
    other.advance(30s);
    EXPECT_EQ(other.broker().topicCount(), 0U);
    EXPECT_TRUE(wild.session().closing());
    wild.read();
    EXPECT_EQ(wild.goodbye(), Error::limitReached);
}

}  // namespace
}  // namespace gazellemq::hub
