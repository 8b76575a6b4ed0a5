#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Batches.hpp"
#include "Received.hpp"
#include "TcpProxy.hpp"
#include "TestHub.hpp"

/// B01 (d): the subscriber behind a network that splits its stream anywhere and then is silent. No heartbeat helps.
namespace gazellemq::client {
namespace {

using namespace test;

class Drip : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), silent<PublisherOptions>()), Error::ok);
        connect(subscriber);
    }
    void connect(TestSubscriber& to) {
        ASSERT_EQ(to.client.connectToHub("subscriber", proxy.url(), silent<SubscriberOptions>()), Error::ok);
        ASSERT_EQ(to.subscribe("t"), Error::ok);
    }

    TestHub hub{silentHub()};
    TcpProxy proxy{hub.port()};
    PublisherClient publisher;
    TestSubscriber subscriber;
};

TEST_F(Drip, one_byte_at_a_time_brings_every_message_of_every_size) {
    proxy.dripToClient(1);
    std::vector<std::string> sent;
    for (auto const size : {0, 1, 2, 127, 128, 0, 8191, 8192, 8193, 0, 32767, 32768, 32769, 0, 65535, 65536, 0}) {
        sent.push_back(patternText(static_cast<std::size_t>(size), sent.size()));
        ASSERT_EQ(publisher.publish("t", sent.back()), Error::ok);
    }
    ASSERT_TRUE(subscriber.messages.waitFor(sent.size()));
    EXPECT_TRUE(subscriber.payloads() == sent);
    EXPECT_EQ(subscriber.client.stats().damaged, 0U);
}

TEST_F(Drip, two_hundred_small_messages_of_random_size_arrive_byte_by_byte) {
    proxy.dripToClient(1);
    Random random{7};
    std::vector<std::string> sent;
    for (std::size_t i = 0; i < 200; ++i) {
        sent.push_back(patternText(pick(random, 0, 300), i));
        ASSERT_EQ(publisher.publish("t", sent.back()), Error::ok);
    }
    ASSERT_TRUE(subscriber.messages.waitFor(sent.size()));
    EXPECT_TRUE(subscriber.payloads() == sent);
}

TEST_F(Drip, portions_of_any_size_bring_everything) {
    std::vector<std::string> sent;
    for (std::size_t const portion : {2U, 3U, 7U, 64U, 71U, 72U, 73U, 1000U, 4096U, 4097U}) {
        proxy.dripToClient(portion);
        for (std::size_t i = 0; i < 50; ++i) {
            sent.push_back(patternText(i * portion / 10, i));
            ASSERT_EQ(publisher.publish("t", sent.back()), Error::ok);
        }
        ASSERT_TRUE(subscriber.messages.waitFor(sent.size())) << portion << " bytes";
    }
    EXPECT_TRUE(subscriber.payloads() == sent);
}

TEST_F(Drip, a_stream_cut_in_two_at_every_place_of_a_short_message_brings_it_without_further_traffic) {
    // The topic's name has been told: from here on a message is a DELIVER of 16 + 56 + 4 bytes and its payload.
    ASSERT_EQ(publisher.publish("t", "first"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    std::size_t messages = 1;
    for (std::string const payload : {"", "x"}) {
        auto const frame = protocol::kDataHeaderBytes + kLoneOverhead + payload.size();
        for (std::size_t at = 1; at < frame; ++at) {
            proxy.holdToClientAfter(at, 1ms);
            ASSERT_EQ(publisher.publish("t", payload), Error::ok);
            ASSERT_TRUE(subscriber.messages.waitFor(++messages)) << payload.size() << " bytes, cut at " << at;
            ASSERT_EQ(subscriber.payloads().back(), payload);
        }
    }
}

TEST_F(Drip, a_connection_cut_in_two_at_every_place_from_its_first_byte_on_works) {
    // WELCOME, REPLY, TOPIC and the first DELIVER, with an empty message.
    auto const before = proxy.bytesToClient();
    {
        TestSubscriber first;
        connect(first);
        ASSERT_EQ(publisher.publish("t", ""), Error::ok);
        ASSERT_TRUE(first.messages.waitFor(1));
        ASSERT_TRUE(subscriber.messages.waitFor(1));
        ASSERT_EQ(subscriber.client.unsubscribe("t"), Error::ok);
    }
    auto const all = proxy.bytesToClient() - before;
    for (std::uint64_t at = 1; at < all; ++at) {
        // The subscriber of the fixture has gone silent: the next bytes to a client are those of this one.
        proxy.holdToClientAfter(at, 1ms);
        TestSubscriber fresh;
        connect(fresh);
        ASSERT_EQ(publisher.publish("t", ""), Error::ok);
        ASSERT_TRUE(fresh.messages.waitFor(1)) << "cut at " << at;
        EXPECT_EQ(fresh.payloads().front(), "");
    }
}

TEST_F(Drip, a_broken_connection_at_every_place_of_a_message_loses_only_that) {
    subscriber.client.close();
    ASSERT_TRUE(eventually([&] { return hub.server().stats().connections == 1; }));
    auto options = silent(impatient<SubscriberOptions>());
    TestSubscriber persistent;
    ASSERT_EQ(persistent.client.connectToHub("persistent", proxy.url(), options), Error::ok);
    ASSERT_EQ(persistent.subscribe("t"), Error::ok);
    std::size_t ready = 1;
    for (std::uint64_t at = 0; at < protocol::kDataHeaderBytes + kLoneOverhead + 1; at += 5) {
        ASSERT_EQ(publisher.publish("t", "before"), Error::ok);
        ASSERT_TRUE(persistent.messages.waitFor(2 * ready - 1)) << at;
        proxy.cutToClientAfter(at);
        ASSERT_EQ(publisher.publish("t", "lost"), Error::ok);
        ++ready;
        ASSERT_TRUE(persistent.states.waitUntil([&](auto const& states) {
            return static_cast<std::size_t>(std::count(states.begin(), states.end(), State::ready)) == ready;
        })) << "cut at " << at;
        ASSERT_EQ(persistent.client.waitUntilSubscribed(kPatience), Error::ok);
        ASSERT_EQ(publisher.publish("t", "after"), Error::ok);
        ASSERT_TRUE(persistent.messages.waitFor(2 * ready - 2)) << at;
        EXPECT_EQ(persistent.payloads().back(), "after");
    }
    EXPECT_THAT(persistent.payloads(), testing::Each(testing::AnyOf("before", "after")));
    EXPECT_EQ(persistent.client.stats().damaged, 0U);
}

}  // namespace
}  // namespace gazellemq::client
