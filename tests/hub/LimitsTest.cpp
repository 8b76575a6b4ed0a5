#include <gtest/gtest.h>

#include "WatchedHub.hpp"

namespace gazellemq::test {
namespace {

/// The last reply says so in words too.
void expectSentence(RawClient const& raw, Error error) { EXPECT_EQ(raw.received().last<protocol::Reply>()->sentence, describe(error)); }

TEST(HubLimits, a_connection_more_than_max_connections_is_told_why_and_closed) {
    hub::Limits limits;
    limits.maxConnections = 3;  // two are the canary's
    WatchedHub watched{limits};
    RawClient first{watched.port()};
    ASSERT_TRUE(first.greet());
    RawClient second{watched.port()};
    ASSERT_TRUE(second.waitFor<protocol::Goodbye>());
    auto const goodbye = second.received().last<protocol::Goodbye>();
    EXPECT_EQ(goodbye->code, Error::tooManyConnections);
    EXPECT_EQ(goodbye->reason, describe(Error::tooManyConnections));
    EXPECT_EQ(second.waitForEnd(), RawClient::End::closed);
    first.reset();
    EXPECT_TRUE(eventually([&] { return RawClient{watched.port()}.greet(); })) << "there is room again";
    watched.expectUnharmed();
}

TEST(HubLimits, connections_are_counted_per_address_too) {
    hub::Limits limits;
    limits.maxConnectionsPerAddress = 3;
    WatchedHub watched{limits};
    RawClient first{watched.port()};
    ASSERT_TRUE(first.greet());
    RawClient second{watched.port()};
    ASSERT_TRUE(second.waitFor<protocol::Goodbye>());
    auto const goodbye = second.received().last<protocol::Goodbye>();
    EXPECT_EQ(goodbye->code, Error::tooManyConnectionsFromAddress);
    first.reset();
    second.reset();
    watched.expectUnharmed();
}

TEST(HubLimits, a_client_that_is_turned_away_is_told_the_limit_and_comes_in_when_there_is_room) {
    hub::Limits limits;
    limits.maxConnections = 1;
    TestHub hub{limits};
    auto first = std::make_unique<client::PublisherClient>();
    first->connectToHub("first", hub.url());
    ASSERT_EQ(first->publish("t", "x"), Error::ok);
    ASSERT_EQ(first->flush(kPatience), Error::ok);
    Inbox<Error> reasons;
    client::PublisherClient second;
    second.onStateChange([&](client::StateChange const& change) {
        if (change.state == client::State::disconnected) reasons.add(change.error);
    });
    second.connectToHub("second", hub.url(), impatient<client::PublisherOptions>());
    ASSERT_TRUE(reasons.waitForOne(Error::tooManyConnections));
    first = nullptr;
    ASSERT_EQ(second.publish("t", "x"), Error::ok);
    EXPECT_EQ(second.flush(kPatience), Error::ok);
}

TEST(HubLimits, no_more_topics_than_max_topics_exist) {
    hub::Limits limits;
    limits.maxTopics = 3;  // one is the canary's
    WatchedHub watched{limits};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.open(1, "a"), Error::ok);
    EXPECT_EQ(raw.subscribe(1, "b"), Error::ok);
    EXPECT_EQ(raw.open(2, "c"), Error::tooManyTopics);
    expectSentence(raw, Error::tooManyTopics);
    EXPECT_EQ(raw.subscribe(2, "c"), Error::tooManyTopics);
    expectSentence(raw, Error::tooManyTopics);
    // What exists can be used, and a wildcard needs no topic.
    EXPECT_EQ(raw.open(3, "b"), Error::ok);
    EXPECT_EQ(raw.subscribe(3, "a"), Error::ok);
    EXPECT_EQ(raw.subscribe(4, ">"), Error::ok);
    ASSERT_TRUE(raw.publish(3, {"x"}));
    ASSERT_TRUE(raw.waitForMessages(2));
    raw.reset();
    watched.expectUnharmed();
}

TEST(HubLimits, idle_topics_make_room_for_others) {
    hub::Limits limits;
    limits.maxTopics = 2;
    limits.idleTopicTtl = 10ms;
    WatchedHub watched{limits};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.open(1, "a"), Error::ok);
    EXPECT_EQ(raw.open(2, "b"), Error::tooManyTopics);
    ASSERT_TRUE(raw.sendFrame(protocol::CloseTopic{1}));
    std::uint32_t handle = 3;
    EXPECT_TRUE(eventually([&] { return raw.open(handle++, "b") == Error::ok; }));
    raw.reset();
    watched.expectUnharmed();
}

TEST(HubLimits, a_connection_has_no_more_subscriptions_than_max_subscriptions) {
    hub::Limits limits;
    limits.maxSubscriptions = 2;
    WatchedHub watched{limits};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.subscribe(1, "a"), Error::ok);
    EXPECT_EQ(raw.subscribe(2, "b.*"), Error::ok);
    EXPECT_EQ(raw.subscribe(3, "c"), Error::tooManySubscriptions);
    expectSentence(raw, Error::tooManySubscriptions);
    RawClient other{watched.port()};
    ASSERT_TRUE(other.greet());
    EXPECT_EQ(other.subscribe(1, "a"), Error::ok) << "it is counted per connection";
    EXPECT_EQ(raw.unsubscribe(2), Error::ok);
    EXPECT_EQ(raw.subscribe(3, "c"), Error::ok);
    raw.reset();
    other.reset();
    watched.expectUnharmed();
}

TEST(HubLimits, a_connection_has_no_more_open_topics_than_max_open_topics) {
    hub::Limits limits;
    limits.maxOpenTopics = 2;
    WatchedHub watched{limits};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.open(1, "a"), Error::ok);
    EXPECT_EQ(raw.open(2, "b"), Error::ok);
    EXPECT_EQ(raw.open(3, "c"), Error::tooManyOpenTopics);
    expectSentence(raw, Error::tooManyOpenTopics);
    ASSERT_TRUE(raw.sendFrame(protocol::CloseTopic{2}));
    EXPECT_EQ(raw.open(3, "c"), Error::ok);
    raw.reset();
    watched.expectUnharmed();
}

TEST(HubLimits, names_and_patterns_are_no_longer_than_max_topic_bytes) {
    hub::Limits limits;
    limits.maxTopicBytes = 4;
    WatchedHub watched{limits};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.open(1, "abcd"), Error::ok);
    EXPECT_EQ(raw.open(2, "abcde"), Error::nameTooLong);
    expectSentence(raw, Error::nameTooLong);
    EXPECT_EQ(raw.subscribe(1, "ab.*"), Error::ok);
    EXPECT_EQ(raw.subscribe(2, "abc.*"), Error::nameTooLong);
    EXPECT_EQ(watched.hub.server().stats().topics, 1u) << "refused names leave nothing";
    raw.reset();
}

TEST(HubLimits, names_that_break_a_rule_are_refused_with_that_rule_and_the_connection_goes_on) {
    WatchedHub watched;
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    std::vector<std::pair<std::string, Error>> const both{
        {"", Error::nameEmpty},
        {std::string(256, 'n'), Error::nameTooLong},
        {std::string(4096, 'n'), Error::nameTooLong},
        {"..", Error::nameEmptyLevel},
        {".", Error::nameEmptyLevel},
        {"../../evil", Error::nameEmptyLevel},
        {"a/../../b", Error::nameEmptyLevel},
        {"..%2f..%2fx", Error::nameEmptyLevel},
        {"a.", Error::nameEmptyLevel},
        {"a\xFF", Error::nameNotUtf8},
        {std::string("a\0b", 3), Error::nameControlCharacter},
        {"a ", Error::nameEdgeSpace},
        {"_gazelle.x", Error::nameReserved},
    };
    std::uint32_t id = 1;
    for (auto const& [name, rule] : both) {
        EXPECT_EQ(raw.open(id, name), rule) << name;
        EXPECT_EQ(raw.received().last<protocol::Reply>()->sentence, describe(rule));
        EXPECT_EQ(raw.subscribe(id++, name), rule) << name;
    }
    EXPECT_EQ(raw.open(id, "a.*"), Error::nameWildcard);
    EXPECT_EQ(raw.subscribe(id, "a.b*"), Error::wildcardNotAlone);
    EXPECT_EQ(raw.subscribe(id, "a.>.b"), Error::wildcardNotLast);
    EXPECT_EQ(raw.open(id, "good"), Error::ok);
    EXPECT_EQ(watched.hub.server().stats().topics, 2u) << "refused names leave nothing";
    raw.reset();
    watched.expectUnharmed();
}

}  // namespace
}  // namespace gazellemq::test
