#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "Received.hpp"
#include "Stamp.hpp"
#include "TcpProxy.hpp"
#include "TestHub.hpp"

/// B14: what was accepted is not lost by an orderly end.
namespace gazellemq::client {
namespace {

using namespace test;

class Close : public testing::TestWithParam<std::uint64_t> {
  protected:
    void SetUp() override {
        ASSERT_EQ(subscriber.connectToHub("subscriber", hub.url()), Error::ok);
        subscriber.subscribe("t", [this](std::span<Message const> messages) {
            for (auto const& message : messages) check.take(message.payload);
            count += messages.size();
        });
        ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    }
    void publishAll(PublisherClient& publisher) {
        for (std::uint64_t i = 0; i < GetParam(); ++i) ASSERT_EQ(publisher.publish("t", stamped(0, i, 50)), Error::ok);
    }
    void expectAll() {
        EXPECT_TRUE(eventually([&] { return count == GetParam(); })) << count;
        subscriber.close();
        EXPECT_TRUE(check.perfect());
    }

    Watchdog watchdog{testing::UnitTest::GetInstance()->current_test_info()->name()};
    TestHub hub;
    StampCheck check;
    std::atomic<std::uint64_t> count{0};
    SubscriberClient subscriber;
};

TEST_P(Close, the_destructor_sends_everything) {
    {
        PublisherClient publisher;
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
        publishAll(publisher);  // perhaps before the link is up
    }
    expectAll();
}

TEST_P(Close, close_sends_everything_and_says_so) {
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    publishAll(publisher);
    EXPECT_EQ(publisher.close(kPatience), 0U);
    EXPECT_EQ(publisher.stats().confirmed, GetParam());
    expectAll();
}

TEST_P(Close, flush_means_confirmed) {
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    publishAll(publisher);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(hub.server().stats().messagesIn, GetParam());
    EXPECT_EQ(publisher.stats().unconfirmed + publisher.stats().buffered, 0U);
    expectAll();
}

INSTANTIATE_TEST_SUITE_P(B14, Close, testing::Values(1, 100, 50'000));

class FrozenHub : public testing::Test {
  protected:
    Watchdog watchdog{testing::UnitTest::GetInstance()->current_test_info()->name()};
    TestHub hub;
    TcpProxy proxy{hub.port()};
};

TEST_F(FrozenHub, close_returns_the_number_of_unconfirmed_messages_within_its_timeout) {
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", proxy.url()), Error::ok);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    proxy.freeze();
    for (int i = 0; i < 7; ++i) EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.flush(20ms), Error::timeout);
    auto const stats = publisher.stats();
    EXPECT_EQ(stats.confirmed, 10U);
    EXPECT_EQ(stats.buffered + stats.unconfirmed, 7U);
    EXPECT_EQ(publisher.close(20ms), 7U);
    EXPECT_EQ(publisher.close(kPatience), 7U) << "the same again";
}

TEST_F(FrozenHub, the_destructors_need_no_longer_than_closeTimeout) {
    {
        PublisherOptions options;
        options.closeTimeout = 50ms;
        PublisherClient publisher;
        TestSubscriber subscriber;
        ASSERT_EQ(publisher.connectToHub("publisher", proxy.url(), options), Error::ok);
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", proxy.url()), Error::ok);
        ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
        EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
        EXPECT_EQ(publisher.flush(kPatience), Error::ok);
        proxy.freeze();
        // Enough to fill every buffer on the way.
        for (int i = 0; i < 10; ++i) EXPECT_EQ(publisher.publish("t" + std::to_string(i), std::string(1'000'000, 'x')), Error::ok);
    }
    proxy.thaw();
}

TEST_F(FrozenHub, the_drain_of_a_subscriber_ends_at_its_timeout) {
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", proxy.url()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    proxy.freeze();
    EXPECT_EQ(subscriber.client.drain(20ms), Error::timeout);
    EXPECT_EQ(subscriber.client.state(), State::closed);
}

TEST_F(FrozenHub, is_found_silent_by_heartbeats_and_both_clients_come_back) {
    TestSubscriber subscriber;
    auto subscriberOptions = impatient<SubscriberOptions>();
    subscriberOptions.heartbeat = 100ms;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", proxy.url(), subscriberOptions), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    proxy.freeze();
    ASSERT_TRUE(subscriber.stateErrors.waitForOne(Error::silent));
    EXPECT_TRUE(eventually([&] { return hub.server().stats().connections == 0; })) << "the hub finds it too";
    proxy.thaw();
    EXPECT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
}

TEST(NeverConnected, clients_end_at_once) {
    Watchdog const watchdog{"clients that were never connected", 1500ms};
    PublisherClient publisher;
    SubscriberClient subscriber;
    subscriber.subscribe("t", [](std::string&&) {});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.close(0ms), 100U);
}

TEST(NeverConnected, clients_of_a_hub_that_is_not_there_end_at_once) {
    TestHub hub;
    hub.stop();
    Watchdog const watchdog{"clients of a hub that is not there", 1500ms};
    PublisherClient publisher;
    TestSubscriber subscriber;
    ASSERT_EQ(publisher.connectToHub("p", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.client.connectToHub("s", hub.url()), Error::ok);
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(subscriber.states.waitForOne(State::disconnected));
}

TEST(ClosingTwice, by_two_threads_at_once_is_safe) {
    TestHub hub;
    for (int i = 0; i < 50; ++i) {
        Watchdog const watchdog{"two threads closing a client"};
        PublisherClient publisher;
        SubscriberClient subscriber;
        ASSERT_EQ(publisher.connectToHub("p", hub.url()), Error::ok);
        ASSERT_EQ(subscriber.connectToHub("s", hub.url()), Error::ok);
        EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
        std::thread other{[&] {
            publisher.close(kPatience);
            subscriber.close();
        }};
        EXPECT_EQ(publisher.close(kPatience), 0U);
        subscriber.close();
        other.join();
    }
}

}  // namespace
}  // namespace gazellemq::client
