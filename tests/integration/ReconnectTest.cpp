#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "Received.hpp"
#include "Stamp.hpp"
#include "TcpProxy.hpp"
#include "TestHub.hpp"

/// B16: links that break under load, and the account of every message.
namespace gazellemq::client {
namespace {

using namespace test;

bool addsUp(PublisherStats const& stats) {
    return stats.published == stats.confirmed + stats.buffered + stats.unconfirmed + stats.lost + stats.refused &&
           stats.unconfirmed <= stats.published;
}

/// A publisher that never rests, and a subscriber that verifies.
class Reconnect : public testing::Test {
  protected:
    void start(std::string const& publisherUrl, std::string const& subscriberUrl) {
        subscriber.client.subscribe("t", [this](Message const& message) {
            check.take(message.payload);
            if (auto const stamp = Stamp::read(message.payload)) arrived.add(stamp->sequence);
        });
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", subscriberUrl, impatient<SubscriberOptions>()), Error::ok);
        ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
        ASSERT_EQ(publisher.connectToHub("publisher", publisherUrl, impatient<PublisherOptions>()), Error::ok);
        feeder = std::thread([this] {
            while (!stop) {
                if (publisher.publish("t", stamped(0, published, 16 + published % 300)) == Error::ok) ++published;
                if (published % 20 == 0) std::this_thread::sleep_for(100us);  // steady, not flooding
                if (!addsUp(publisher.stats())) ++wrongSums;
            }
        });
    }
    void finish() {
        stop = true;
        feeder.join();
        EXPECT_NE(publisher.flush(kPatience), Error::timeout);
        auto const stats = publisher.stats();
        EXPECT_EQ(stats.published, published);
        EXPECT_TRUE(addsUp(stats));
        EXPECT_EQ(wrongSums, 0U);
        EXPECT_EQ(stats.buffered + stats.unconfirmed + stats.refused, 0U);
        EXPECT_EQ(stats.bufferedBytes, 0U);
    }
    void expectCleanStream() {
        EXPECT_EQ(check.damaged, 0U);
        EXPECT_EQ(check.repeatedOrLate, 0U) << "order is kept and nothing comes twice";
        EXPECT_EQ(subscriber.client.stats().damaged, 0U);
    }
    void waitForMore(std::uint64_t messages) {
        ASSERT_TRUE(arrived.waitFor(arrived.size() + messages));
    }
    ~Reconnect() override {
        stop = true;
        if (feeder.joinable()) feeder.join();
    }

    TestHub hub;
    StampCheck check;
    Inbox<std::uint64_t> arrived;
    std::atomic<bool> stop{false};
    std::uint64_t published = 0;  // of the feeder while it runs
    std::uint64_t wrongSums = 0;
    PublisherClient publisher;
    TestSubscriber subscriber;
    std::thread feeder;
};

TEST_F(Reconnect, a_publisher_carries_on_after_hub_restarts_and_accounts_for_every_message) {
    start(hub.url(), hub.url());
    for (int i = 0; i < 20; ++i) {
        waitForMore(200);
        if (i % 2 == 0) {
            hub.stop();
        } else {
            hub.kill();
        }
        hub.start();
    }
    ASSERT_TRUE(eventually([&] { return hub.server().stats().subscriptions == 1; }));
    waitForMore(200);
    finish();
    EXPECT_LE(hub.server().stats().messagesIn, publisher.stats().confirmed + publisher.stats().lost) << "of the last hub only";
    EXPECT_TRUE(arrived.waitUntil([&](auto const& all) { return !all.empty() && all.back() == published - 1; }))
        << "the last message was confirmed while the subscriber was there";
    expectCleanStream();
}

TEST_F(Reconnect, orderly_restarts_lose_nothing_that_was_sent) {
    start(hub.url(), hub.url());
    for (int i = 0; i < 10; ++i) {
        waitForMore(200);
        hub.stop();
        hub.start();
    }
    waitForMore(200);
    finish();
    EXPECT_EQ(publisher.stats().lost, 0U) << "a hub that drains confirms what it has";
    EXPECT_EQ(publisher.stats().confirmed, published);
    expectCleanStream();
}

TEST_F(Reconnect, a_subscriber_whose_link_holds_gets_every_confirmed_message_of_a_publisher_whose_link_breaks) {
    TcpProxy proxy{hub.port()};
    start(proxy.url(), hub.url());
    for (std::uint64_t i = 0; i < 20; ++i) {
        waitForMore(200);
        auto const links = proxy.accepted();
        proxy.cutToHubAfter(1 + i * 7919 % 5000);  // in the middle of a message
        ASSERT_TRUE(eventually([&] { return proxy.accepted() > links; }));
    }
    waitForMore(200);
    finish();
    auto const stats = publisher.stats();
    auto const received = hub.server().stats().messagesIn;
    EXPECT_TRUE(arrived.waitFor(received));
    EXPECT_EQ(arrived.size(), received);
    EXPECT_GE(received, stats.confirmed);
    EXPECT_LE(received, stats.confirmed + stats.lost);
    EXPECT_LE(check.skipped, stats.lost) << "only what was counted as lost is missing";
    EXPECT_EQ(arrived.size() + check.skipped, published);
    expectCleanStream();
}

TEST_F(Reconnect, a_subscriber_whose_link_breaks_goes_on_in_order) {
    TcpProxy proxy{hub.port()};
    start(hub.url(), proxy.url());
    for (std::uint64_t i = 0; i < 20; ++i) {
        waitForMore(200);
        auto const links = proxy.accepted();
        if (i % 2 == 0) {
            proxy.cutToClientAfter(1 + i * 7919 % 5000);
        } else {
            proxy.cut();
        }
        ASSERT_TRUE(eventually([&] { return proxy.accepted() > links; }));
    }
    waitForMore(200);
    finish();
    EXPECT_EQ(publisher.stats().confirmed, published);
    expectCleanStream();
}

TEST(ReconnectEvents, are_told_and_subscriptions_are_restored_once) {
    TestHub hub;
    TestSubscriber subscriber;
    Inbox<int> ready;
    subscriber.client.setOnReady([&] { ready.add(1); });
    subscriber.client.subscribe("a.*", subscriber.keep());
    subscriber.client.subscribe("a.b", subscriber.keep());
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), impatient<SubscriberOptions>()), Error::ok);
    Inbox<int> publisherReady;
    PublisherClient publisher;
    publisher.setOnReady([&] { publisherReady.add(1); });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient<PublisherOptions>()), Error::ok);
    for (std::size_t round = 1; round <= 5; ++round) {
        ASSERT_TRUE(ready.waitFor(round));
        ASSERT_TRUE(publisherReady.waitFor(round));
        ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
        EXPECT_EQ(hub.server().stats().subscriptions, 2U);
        EXPECT_EQ(publisher.publish("a.b", "x"), Error::ok);
        ASSERT_TRUE(subscriber.messages.waitFor(2 * round));
        EXPECT_EQ(publisher.flush(kPatience), Error::ok);
        if (round < 5) {
            hub.kill();
            ASSERT_TRUE(subscriber.states.waitUntil([&](auto const& states) {
                return static_cast<std::size_t>(std::count(states.begin(), states.end(), State::ready)) == round && states.back() != State::ready;
            }));
            ASSERT_TRUE(eventually([&] { return publisher.state() != State::ready; }));
            hub.start();
        }
    }
    EXPECT_EQ(subscriber.messages.size(), 10U);
    EXPECT_EQ(ready.size(), 5U);
    EXPECT_EQ(publisherReady.size(), 5U);
}

TEST(ReconnectEvents, what_was_unsubscribed_while_the_link_was_down_is_not_restored) {
    TestHub hub;
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), impatient<SubscriberOptions>()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("gone"), Error::ok);
    ASSERT_EQ(subscriber.subscribe("stays"), Error::ok);
    hub.kill();
    ASSERT_TRUE(subscriber.states.waitForOne(State::disconnected));
    EXPECT_EQ(subscriber.client.unsubscribe("gone"), Error::ok);
    subscriber.client.subscribe("new", subscriber.keep());
    EXPECT_EQ(subscriber.client.waitUntilSubscribed(0ms), Error::timeout);
    hub.start();
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    EXPECT_EQ(hub.server().stats().subscriptions, 2U);
}

}  // namespace
}  // namespace gazellemq::client
