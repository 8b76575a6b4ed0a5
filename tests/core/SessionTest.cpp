#include "Session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::Bytes;
using test::FakeClient;
using test::FakeHub;
using test::makeBatch;
using test::publishFrame;
using testing::ElementsAre;

class SessionTest : public testing::Test {
  protected:
    FakeHub hub;
    FakeClient client{hub};
};

TEST_F(SessionTest, answers_hello_with_its_limits) {
    auto const welcome = client.last<Welcome>();
    ASSERT_TRUE(welcome);
    auto const& limits = hub.broker().limits();
    EXPECT_EQ(welcome->serverId, hub.broker().serverId());
    EXPECT_THAT(std::string{welcome->serverName}, testing::StartsWith("gazelle-hub "));
    EXPECT_EQ(welcome->maxFrameBytes, limits.maxFrameBytes());
    EXPECT_EQ(welcome->maxPayloadBytes, limits.maxPayloadBytes);
    EXPECT_EQ(welcome->maxTopicBytes, 255U);
    EXPECT_EQ(welcome->maxSubscriptions, limits.maxSubscriptions);
    EXPECT_EQ(welcome->maxOpenTopics, limits.maxOpenTopics);
    EXPECT_EQ(welcome->heartbeatMs, limits.heartbeat.count());
    EXPECT_EQ(client.session().clientName(), "fake");
}

TEST_F(SessionTest, a_client_may_shorten_the_heartbeat_but_not_lengthen_it) {
    for (auto const& [wanted, given] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {0, 5000}, {1000, 1000}, {1, 100}, {60'000, 5000}, {0xFFFFFFFF, 5000}}) {
        FakeClient other{hub, false};
        Hello hello;
        hello.heartbeatMs = wanted;
        other.send(hello);
        EXPECT_EQ(other.last<Welcome>()->heartbeatMs, given) << wanted;
    }
}

TEST_F(SessionTest, an_exact_subscription_gets_what_is_published) {
    FakeClient publisher{hub};
    EXPECT_EQ(client.subscribe(5, "login"), Error::ok);
    EXPECT_EQ(publisher.open(9, "login"), Error::ok);
    EXPECT_TRUE(publisher.mayPublish(9)) << "credit comes with the reply";
    publisher.publish(9, std::vector<std::string>{"one", "", "three"});
    publisher.publish(9, "four");
    EXPECT_THAT(client.payloads(), ElementsAre("one", "", "three", "four"));
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(client.messages[i].offset, i);
        EXPECT_EQ(client.messages[i].topic, "login");
        EXPECT_EQ(client.messages[i].subscription, 5U);
        EXPECT_EQ(client.messages[i].receiveTimeNs, hub.broker().now().wallNs);
    }
    EXPECT_EQ(publisher.lastConfirm(9).sequence, 4U);
    EXPECT_FALSE(client.brokenStream);
}

// B01, through the session.
TEST_F(SessionTest, delivers_empty_messages_however_the_stream_is_cut) {
    FakeClient publisher{hub};
    client.subscribe(1, "t");
    publisher.open(1, "t");
    Bytes const stream = [] {
        auto bytes = publishFrame(1, makeBatch({""}, 1));
        test::append(bytes, publishFrame(1, makeBatch({"x"}, 2)));
        return bytes;
    }();
    publisher.write(stream, 1);
    EXPECT_THAT(client.payloads(), ElementsAre("", "x"));
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
        client.messages.clear();
        publisher.write(ByteView{stream}.first(cut));
        publisher.write(ByteView{stream}.subspan(cut));
        ASSERT_THAT(client.payloads(), ElementsAre("", "x")) << "cut at " << cut;
    }
}

TEST_F(SessionTest, refuses_names_with_the_rule_that_they_break) {
    EXPECT_EQ(client.open(1, ""), Error::nameEmpty);
    EXPECT_EQ(client.open(1, std::string(256, 'x')), Error::nameTooLong);
    EXPECT_EQ(client.open(1, "a.*"), Error::nameWildcard);
    EXPECT_EQ(client.open(1, "_gazelle.x"), Error::nameReserved);
    EXPECT_EQ(client.open(1, "../../evil"), Error::nameEmptyLevel);
    EXPECT_EQ(client.subscribe(1, "a.b*"), Error::wildcardNotAlone);
    EXPECT_EQ(client.subscribe(1, "a.>.b"), Error::wildcardNotLast);
    EXPECT_EQ(client.last<Reply>()->sentence, describe(Error::wildcardNotLast));
    EXPECT_EQ(hub.broker().topicCount(), 0U);
    EXPECT_EQ(client.open(1, "a"), Error::ok) << "the handle and the link are still good";
    EXPECT_EQ(client.subscribe(1, "a"), Error::ok);
}

TEST_F(SessionTest, sends_nothing_of_a_subscription_after_its_unsubscribe) {
    FakeClient publisher{hub};
    publisher.open(1, "t");
    client.subscribe(1, "t");
    publisher.publish(1, "before");
    EXPECT_EQ(client.unsubscribe(1), Error::ok);
    publisher.publish(1, "after");
    EXPECT_THAT(client.payloads(), ElementsAre("before"));
    EXPECT_EQ(client.unsubscribe(1), Error::notSubscribed);
    EXPECT_EQ(client.subscribe(1, "t"), Error::ok) << "the id is free again";
    EXPECT_EQ(hub.broker().subscriptionCount(), 1U);
}

TEST_F(SessionTest, waits_for_a_subscribers_credit) {
    FakeClient publisher{hub};
    publisher.open(1, "t");
    client.subscribe(1, "t", 0);
    publisher.publish(1, "waits");
    EXPECT_TRUE(client.messages.empty());
    client.send(Credit{1, 1});
    EXPECT_THAT(client.payloads(), ElementsAre("waits"));
    publisher.publish(1, "waits again");
    client.send(Credit{1, 0});
    EXPECT_EQ(client.messages.size(), 1U) << "credit never goes back, and there is none";
    client.send(Credit{1, 10'000});
    EXPECT_THAT(client.payloads(), ElementsAre("waits", "waits again"));
}

TEST_F(SessionTest, ignores_credit_for_a_subscription_that_has_ended) {
    EXPECT_TRUE(client.send(Credit{77, 1000}));
    EXPECT_EQ(client.goodbye(), Error::ok);
}

TEST_F(SessionTest, flush_brings_the_confirms) {
    client.open(1, "t");
    client.publish(1, "x");
    client.send(Flush{});
    EXPECT_EQ(client.lastConfirm(1).sequence, 1U);
}

TEST_F(SessionTest, closing_a_topic_confirms_it_and_frees_its_handle) {
    client.open(1, "t");
    client.publish(1, "x");
    client.send(CloseTopic{1});
    EXPECT_EQ(client.lastConfirm(1).sequence, 1U);
    EXPECT_EQ(client.open(1, "other"), Error::ok);
}

TEST_F(SessionTest, answers_a_ping_with_its_token) {
    client.send(Ping{0x1234567890});
    EXPECT_EQ(client.last<Pong>()->token, 0x1234567890U);
}

TEST_F(SessionTest, a_limit_reached_is_a_reply_and_not_the_end) {
    Limits limits;
    limits.maxSubscriptions = 2;
    limits.maxOpenTopics = 2;
    FakeHub small{limits};
    FakeClient other{small};
    EXPECT_EQ(other.open(1, "a"), Error::ok);
    EXPECT_EQ(other.open(2, "b"), Error::ok);
    EXPECT_EQ(other.open(3, "c"), Error::tooManyOpenTopics);
    EXPECT_EQ(other.subscribe(1, "a"), Error::ok);
    EXPECT_EQ(other.subscribe(2, "b"), Error::ok);
    EXPECT_EQ(other.subscribe(3, "a"), Error::tooManySubscriptions);
    EXPECT_EQ(other.goodbye(), Error::ok);
    other.send(CloseTopic{1});
    EXPECT_EQ(other.open(3, "c"), Error::ok);
}

TEST_F(SessionTest, ends_a_client_that_does_not_read_its_replies) {
    Limits limits;
    limits.maxControlBytes = 64 * 1024;
    FakeHub small{limits};
    FakeClient other{small};
    other.reads = false;
    // The socket's share of the replies waits in the output; behind it they pile up in the session.
    other.write(Bytes{});
    std::size_t pings = 0;
    while (!other.session().closing() && pings < 100'000) {
        Bytes many;
        for (int i = 0; i < 100; ++i) encode(Ping{++pings}, many);
        other.write(many);
    }
    EXPECT_TRUE(other.session().closing());
    other.read();
    EXPECT_EQ(other.goodbye(), Error::limitReached);
    EXPECT_FALSE(other.brokenStream) << "the goodbye comes at a frame's border";
}

// An ending subscription may bring the client a confirm that is the reply too many.
TEST_F(SessionTest, may_come_over_its_limit_of_replies_while_its_subscriptions_end) {
    Limits limits;
    limits.maxControlBytes = 1000;
    limits.windowBytes = 64 * 1024;
    for (std::size_t pings = 0; pings < 70; ++pings) {
        for (auto const& end : {test::encoded(Drain{}), test::encoded(Unsubscribe{1, 1})}) {
            FakeHub small{limits};
            FakeClient other{small};
            other.subscribe(1, "t", 0);
            other.open(1, "t");
            other.publishAll(1, std::string(30'000, 'x'));
            other.reads = false;
            other.send(Ping{});  // fills the socket
            Bytes bytes;
            for (std::size_t i = 0; i < pings; ++i) encode(Ping{i}, bytes);
            test::append(bytes, end);
            other.write(bytes);
            other.read();
            EXPECT_FALSE(other.brokenStream);
            EXPECT_EQ(small.broker().subscriptionCount(), 0U);
            EXPECT_TRUE(other.goodbye() == Error::ok || other.goodbye() == Error::limitReached);
        }
    }
}

}  // namespace
}  // namespace gazellemq::hub
