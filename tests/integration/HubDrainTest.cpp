#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "Received.hpp"
#include "Stamp.hpp"
#include "TestHub.hpp"

/// B14: the orderly end of a hub, and of a subscriber.
namespace gazellemq::client {
namespace {

using namespace test;

constexpr std::uint64_t kMessages = 50'000;

TEST(HubDrain, delivers_everything_that_was_confirmed_and_then_says_goodbye) {
    TestHub hub;
    struct Reader {
        StampCheck check;
        std::atomic<std::uint64_t> count{0};
        TestSubscriber subscriber;
    };
    std::array<Reader, 10> readers;
    for (auto& reader : readers) {
        auto& client = reader.subscriber.client;
        ASSERT_EQ(client.connectToHub("reader", hub.url(), impatient<SubscriberOptions>()), Error::ok);
        client.subscribe("t", [&reader](std::span<Message const> messages) {
            for (auto const& message : messages) reader.check.take(message.payload);
            reader.count += messages.size();
        });
        ASSERT_EQ(client.waitUntilSubscribed(kPatience), Error::ok);
    }
    Inbox<Error> reasons;
    PublisherClient publisher;
    publisher.onStateChange([&](StateChange const& change) {
        if (change.state == State::disconnected) reasons.add(change.error);
    });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient<PublisherOptions>()), Error::ok);
    for (std::uint64_t i = 0; i < kMessages; ++i) ASSERT_EQ(publisher.publish("t", stamped(0, i, 60)), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);

    auto const before = std::chrono::steady_clock::now();
    hub.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);

    for (auto& reader : readers) {
        ASSERT_TRUE(reader.subscriber.stateErrors.waitFor(1));
        EXPECT_EQ(reader.subscriber.stateErrors.all().front(), Error::goingAway);
        EXPECT_TRUE(eventually([&] { return reader.count == kMessages; })) << reader.count;
        reader.subscriber.client.close();
        EXPECT_TRUE(reader.check.perfect());
    }
    ASSERT_TRUE(reasons.waitFor(1));
    EXPECT_EQ(reasons.all().front(), Error::goingAway);
    EXPECT_EQ(publisher.stats().lost, 0U);
}

TEST(HubDrain, loses_nothing_of_a_publisher_that_goes_on_publishing) {
    TestHub hub;
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), impatient<SubscriberOptions>()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    PublisherClient publisher;
    PublisherOptions options;
    options.closeTimeout = 0ms;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient(options)), Error::ok);
    std::atomic<bool> stop{false};
    std::thread feeder{[&] {
        for (std::uint64_t i = 0; !stop; ++i) publisher.publish("t", stamped(0, i));
    }};
    EXPECT_TRUE(subscriber.messages.waitFor(1000));
    hub.stop();
    EXPECT_TRUE(subscriber.stateErrors.waitForOne(Error::goingAway));
    EXPECT_TRUE(eventually([&] { return publisher.state() != State::ready; }));
    stop = true;
    feeder.join();
    auto const stats = publisher.stats();
    EXPECT_EQ(stats.lost + stats.unconfirmed, 0U);
    EXPECT_GT(stats.buffered, 0U);
    EXPECT_TRUE(subscriber.messages.waitFor(stats.confirmed));
    StampCheck check;
    for (auto const& payload : subscriber.payloads()) check.take(payload);
    EXPECT_EQ(check.count, stats.confirmed);
    EXPECT_TRUE(check.perfect());
}

TEST(HubDrain, ends_in_time_although_a_subscriber_does_not_read) {
    TestHub hub;
    Gate mayReturn, runs;
    OpensAtEnd const opens{mayReturn};
    SubscriberClient subscriber;
    SubscriberOptions options;
    options.receiveWindowBytes = 64 * 1024;
    ASSERT_EQ(subscriber.connectToHub("stuck", hub.url(), options), Error::ok);
    subscriber.subscribe("t", [&](std::string&&) {
        runs.open();
        mayReturn.wait();
    });
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(publisher.publish("t", std::string(1000, 'x')), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(runs.wait());
    auto const before = std::chrono::steady_clock::now();
    hub.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
    mayReturn.open();
}

TEST(HubDrain, ends_while_clients_are_connecting_and_have_not_connected) {
    for (int i = 0; i < 20; ++i) {
        TestHub hub;
        Watchdog const watchdog{"stopping a hub to which clients connect"};
        TestSubscriber one, two;
        PublisherClient publisher;
        ASSERT_EQ(one.client.connectToHub("one", hub.url()), Error::ok);
        ASSERT_EQ(two.client.connectToHub("two", hub.url()), Error::ok);
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
        if (i % 2 == 0) one.states.waitForOne(State::ready);
        hub.stop();
    }
}

TEST(SubscriberDrain, lets_the_callbacks_finish_what_has_arrived) {
    TestHub hub;
    Gate mayGoOn;
    OpensAtEnd const opens{mayGoOn};
    std::atomic<std::uint64_t> handled{0};
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    subscriber.client.subscribe("t", [&](std::string&&) {
        mayGoOn.wait();
        ++handled;
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(publisher.publish("t", std::string(100, 'x')), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(eventually([&] { return hub.server().stats().messagesOut == 1000; }));
    std::thread opener{[&] { mayGoOn.open(); }};
    EXPECT_EQ(subscriber.client.drain(kPatience), Error::ok);
    opener.join();
    EXPECT_EQ(handled, 1000U);
    EXPECT_EQ(subscriber.client.state(), State::closed);
    EXPECT_EQ(subscriber.client.subscribe("t", [](std::string&&) {}).error(), Error::closed);
    EXPECT_EQ(publisher.publish("t", "after"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(handled, 1000U);
}

TEST(SubscriberDrain, refuses_new_subscriptions_while_it_lasts_and_gives_up_at_its_limit) {
    TestHub hub;
    Gate mayGoOn, runs;
    OpensAtEnd const opens{mayGoOn};
    SubscriberClient subscriber;
    ASSERT_EQ(subscriber.connectToHub("subscriber", hub.url()), Error::ok);
    subscriber.subscribe("t", [&](std::string&&) {
        runs.open();
        mayGoOn.wait();
    });
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(runs.wait());
    std::atomic<Error> result{Error::ok};
    std::thread drainer{[&] { result = subscriber.drain(100ms); }};
    EXPECT_TRUE(eventually([&] { return subscriber.subscribe("other", [](std::string&&) {}).error() == Error::closed; }));
    // close() waits for the callback; drain's own limit has passed by then.
    EXPECT_TRUE(eventually([&] { return subscriber.state() == State::closed; }));
    mayGoOn.open();
    drainer.join();
    EXPECT_EQ(result, Error::timeout);
}

TEST(SubscriberDrain, of_a_client_without_a_link_just_closes) {
    TestHub hub;
    hub.stop();
    SubscriberClient lonely;
    EXPECT_EQ(lonely.drain(kPatience), Error::ok);
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_TRUE(subscriber.states.waitForOne(State::disconnected));
    EXPECT_EQ(subscriber.client.drain(kPatience), Error::ok);
}

}  // namespace
}  // namespace gazellemq::client
