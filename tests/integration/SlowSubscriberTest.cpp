#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "Received.hpp"
#include "Stamp.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

hub::Limits smallWindow() {
    hub::Limits limits;
    limits.windowBytes = 256 * 1024;
    return limits;
}

/// A subscriber whose callback does nothing until it is let go, with a small window.
struct SlowSubscriber {
    Gate go, runs;
    StampCheck check;
    std::atomic<std::uint64_t> received{0};
    std::atomic<std::uint64_t> dropped{0};
    Inbox<std::string> droppedTopics;
    TestSubscriber subscriber;

    void start(std::string const& url, std::string const& pattern) {
        subscriber.client.onDropped([this](std::string_view topic, std::uint64_t count) {
            dropped += count;
            droppedTopics.add(std::string{topic});
        });
        subscriber.client.subscribe(pattern, [this](Message const& message) {
            runs.open();
            go.wait(1h);
            check.take(message.payload);
            ++received;
        });
        auto options = impatient<SubscriberOptions>();
        options.receiveWindowBytes = 64 * 1024;
        ASSERT_EQ(subscriber.client.connectToHub("slow", url, options), Error::ok);
        ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    }
    ~SlowSubscriber() { go.open(); }
};

PublisherOptions failingPublisher() {
    PublisherOptions options;
    options.maxBufferedBytes = 256 * 1024;
    options.whenFull = WhenFull::fail;
    options.closeTimeout = 0ms;
    return options;
}

/// Publishes stamped messages until the client is full for good: full, and nothing moves in between.
std::uint64_t publishUntilFull(PublisherClient& publisher, std::string const& topic, std::uint64_t from = 0) {
    for (auto sequence = from;;) {
        auto const error = publisher.publish(topic, stamped(0, sequence, 1000));
        if (error == Error::ok) {
            ++sequence;
            continue;
        }
        EXPECT_EQ(error, Error::bufferFull);
        auto const confirmed = publisher.stats().confirmed;
        if (!eventually([&] { return publisher.stats().confirmed > confirmed; }, 100ms)) return sequence;
    }
}

TEST(SlowSubscribers, of_a_topic_slow_its_publishers_which_then_carry_on) {
    Watchdog const watchdog{"a publisher and a slow subscriber"};
    TestHub hub{smallWindow()};
    SlowSubscriber slow;
    slow.start(hub.url(), "t");
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), failingPublisher()), Error::ok);
    auto published = publishUntilFull(publisher, "t");
    EXPECT_TRUE(slow.runs.isOpen());
    // Its own buffer, the hub's window and a publisher's share of it, the subscriber's window, and some for the sockets.
    EXPECT_GE(published * 1000, 2 * 256U * 1024);
    EXPECT_LE(published * 1000, 2 * 1024U * 1024);
    EXPECT_EQ(publisher.flush(20ms), Error::timeout);
    slow.go.open();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    for (; published < 3000; ++published) {
        while (publisher.publish("t", stamped(0, published, 1000)) != Error::ok) EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    }
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(eventually([&] { return slow.received == published; }));
    slow.subscriber.client.close();
    EXPECT_TRUE(slow.check.perfect());
    EXPECT_EQ(slow.dropped, 0U);
}

TEST(SlowSubscribers, do_not_slow_other_topics) {
    Watchdog const watchdog{"other topics beside a slow subscriber"};
    TestHub hub{smallWindow()};
    SlowSubscriber slow;
    slow.start(hub.url(), "slow");
    TestSubscriber quick;
    ASSERT_EQ(quick.client.connectToHub("quick", hub.url()), Error::ok);
    ASSERT_EQ(quick.subscribe("quick"), Error::ok);
    PublisherClient publisher;
    auto options = failingPublisher();
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    PublisherClient other;
    ASSERT_EQ(other.connectToHub("other", hub.url()), Error::ok);
    publishUntilFull(publisher, "slow");
    for (std::size_t i = 1; i <= 1000; ++i) {
        ASSERT_EQ(other.publish("quick", std::string(1000, 'x')), Error::ok);
        if (i % 100 == 0) {
            ASSERT_TRUE(quick.messages.waitFor(i));
        }
    }
    EXPECT_EQ(other.flush(kPatience), Error::ok);
    EXPECT_FALSE(slow.go.isOpen());
}

TEST(SlowSubscribers, do_not_slow_other_topics_of_the_same_publisher) {
    Watchdog const watchdog{"other topics of the same publisher"};
    TestHub hub{smallWindow()};
    SlowSubscriber slow;
    slow.start(hub.url(), "slow");
    TestSubscriber quick;
    ASSERT_EQ(quick.client.connectToHub("quick", hub.url()), Error::ok);
    ASSERT_EQ(quick.subscribe("quick"), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    // More than the hub takes, less than the client's buffer.
    for (std::uint64_t i = 0; i < 3000; ++i) ASSERT_EQ(publisher.publish("slow", stamped(0, i, 1000)), Error::ok);
    ASSERT_TRUE(slow.runs.wait());
    for (std::size_t i = 1; i <= 200; ++i) {
        ASSERT_EQ(publisher.publish("quick", "x"), Error::ok);
        ASSERT_TRUE(quick.messages.waitFor(i));
    }
    slow.go.open();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
}

TEST(SlowSubscribers, that_take_nothing_are_disconnected_and_come_back_when_their_callback_has_returned) {
    auto limits = smallWindow();
    limits.stallLimit = 50ms;
    TestHub hub{limits};
    SlowSubscriber slow;
    slow.start(hub.url(), "t");
    PublisherClient publisher;
    PublisherOptions options;
    options.maxBufferedBytes = 512 * 1024;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> published{0};
    std::thread feeder{[&] {
        while (!stop) published += publisher.publish("t", stamped(0, published, 1000)) == Error::ok;
    }};
    EXPECT_TRUE(eventually([&] { return slow.subscriber.client.state() == State::disconnected; }));
    auto const before = published.load();
    EXPECT_TRUE(eventually([&] { return published > before + 5000; })) << "without it the publisher is not slowed";
    EXPECT_EQ(slow.subscriber.client.state(), State::disconnected);
    EXPECT_EQ(hub.server().stats().subscriptions, 0U) << "it does not come back while its callback runs";
    slow.go.open();
    EXPECT_TRUE(slow.subscriber.stateErrors.waitForOne(Error::stalled));
    EXPECT_EQ(slow.subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    auto const received = slow.received.load();
    EXPECT_TRUE(eventually([&] { return slow.received > received + 1000; }));
    stop = true;
    feeder.join();
    slow.subscriber.client.close();
    EXPECT_EQ(slow.check.damaged + slow.check.repeatedOrLate, 0U);
}

TEST(SlowSubscribers, that_pull_come_back_after_their_subscription_has_been_replaced) {
    auto limits = smallWindow();
    limits.stallLimit = 50ms;
    TestHub hub{limits};
    TestSubscriber subscriber;
    auto const id = subscriber.client.subscribe("t").id();
    auto subscriberOptions = impatient<SubscriberOptions>();
    subscriberOptions.receiveWindowBytes = 64 * 1024;
    ASSERT_EQ(subscriber.client.connectToHub("pull", hub.url(), subscriberOptions), Error::ok);
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (int i = 0; i < 300; ++i) ASSERT_EQ(publisher.publish("t", std::string(1000, 'x')), Error::ok);
    ASSERT_TRUE(subscriber.stateErrors.waitForOne(Error::stalled)) << "nobody calls receive()";
    EXPECT_EQ(subscriber.client.unsubscribe(id), Error::ok);
    EXPECT_EQ(subscriber.subscribe("other"), Error::ok) << "nothing waits any more";
    EXPECT_EQ(publisher.publish("other", "x"), Error::ok);
    EXPECT_TRUE(subscriber.messages.waitFor(1));
}

TEST(SlowWildcardSubscribers, lose_the_oldest_and_are_told_exactly_how_many) {
    TestHub hub{smallWindow()};
    SlowSubscriber slow;
    slow.start(hub.url(), "t.*");
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    std::uint64_t published = 0;
    for (; published < 5000; ++published) ASSERT_EQ(publisher.publish("t.a", stamped(0, published, 1000)), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "nobody is slowed by it";
    slow.go.open();
    // The last messages are the newest and come; with the last one everything before it has been told.
    EXPECT_TRUE(eventually([&] { return slow.received + slow.dropped == published; })) << slow.received << " + " << slow.dropped;
    EXPECT_GT(slow.dropped, 0U);
    EXPECT_EQ(hub.server().stats().messagesDropped, slow.dropped);
    EXPECT_EQ(slow.subscriber.client.stats().dropped, slow.dropped);
    // Once it keeps up nothing is lost any more.
    auto const dropped = slow.dropped.load();
    for (int i = 0; i < 100; ++i, ++published) {
        ASSERT_EQ(publisher.publish("t.a", stamped(0, published, 1000)), Error::ok);
        ASSERT_TRUE(eventually([&] { return slow.received + dropped == published + 1; }));
    }
    slow.subscriber.client.close();
    EXPECT_EQ(slow.dropped, dropped);
    EXPECT_THAT(slow.droppedTopics.all(), testing::Each("t.a"));
    EXPECT_EQ(slow.check.damaged + slow.check.repeatedOrLate, 0U);
    EXPECT_EQ(slow.check.skipped, dropped);
}

TEST(SlowSubscribers, lose_the_oldest_where_that_is_the_policy_and_slow_nobody) {
    auto limits = smallWindow();
    limits.slowConsumer = hub::SlowPolicy::dropOldest;
    TestHub hub{limits};
    SlowSubscriber slow;
    slow.start(hub.url(), "t");
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    std::uint64_t published = 0;
    for (; published < 5000; ++published) ASSERT_EQ(publisher.publish("t", stamped(0, published, 1000)), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "nobody is slowed by it";
    slow.go.open();
    EXPECT_TRUE(eventually([&] { return slow.received + slow.dropped == published; })) << slow.received << " + " << slow.dropped;
    EXPECT_GT(slow.dropped, 0U);
    EXPECT_EQ(hub.server().stats().messagesDropped, slow.dropped);
    slow.subscriber.client.close();
    EXPECT_EQ(slow.check.damaged + slow.check.repeatedOrLate, 0U);
    EXPECT_EQ(slow.check.skipped, slow.dropped);
}

/// By name and by wildcard.
class SlowSubscribersToDisconnect : public testing::TestWithParam<char const*> {};

TEST_P(SlowSubscribersToDisconnect, are_told_why_slow_nobody_and_come_back_when_their_callback_has_returned) {
    auto limits = smallWindow();
    limits.slowConsumer = limits.slowWildcard = hub::SlowPolicy::disconnect;
    TestHub hub{limits};
    SlowSubscriber slow;
    slow.start(hub.url(), GetParam());
    TestSubscriber good;
    ASSERT_EQ(good.client.connectToHub("good", hub.url()), Error::ok);
    ASSERT_EQ(good.subscribe("t.a"), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    std::size_t published = 0;
    // A batch at a time, so that the good one keeps up.
    for (; published < 2000; ++published) {
        ASSERT_EQ(publisher.publish("t.a", stamped(0, published, 1000)), Error::ok);
        if (published % 20 == 0) {
            ASSERT_TRUE(good.messages.waitFor(published + 1));
        }
    }
    ASSERT_TRUE(good.messages.waitFor(published));
    ASSERT_TRUE(eventually([&] { return slow.subscriber.client.state() == State::disconnected; }));
    EXPECT_TRUE(eventually([&] { return hub.server().stats().connections == 2; }));
    EXPECT_EQ(slow.subscriber.client.state(), State::disconnected) << "it stays away until its callback returns";
    slow.go.open();
    ASSERT_TRUE(slow.subscriber.stateErrors.waitForOne(Error::slowConsumer));
    ASSERT_TRUE(eventually([&] { return slow.subscriber.client.state() == State::ready; }));
    auto const before = slow.received.load();
    EXPECT_TRUE(eventually([&] {
        EXPECT_EQ(publisher.publish("t.a", stamped(0, published++, 1000)), Error::ok);
        publisher.flush(kPatience);
        return slow.received > before;
    }));
}

INSTANTIATE_TEST_SUITE_P(By, SlowSubscribersToDisconnect, testing::Values("t.a", "t.*"),
                         [](auto const& pattern) { return std::string{pattern.index == 0 ? "name" : "wildcard"}; });

TEST(SlowWildcardSubscribers, beside_an_exact_one_that_keeps_up_change_nothing_for_it) {
    TestHub hub{smallWindow()};
    SlowSubscriber slow;
    slow.start(hub.url(), ">");
    std::atomic<std::uint64_t> count{0};
    StampCheck check;
    SubscriberClient quick;
    quick.subscribe("t", [&](std::span<Message const> messages) {
        for (auto const& message : messages) check.take(message.payload);
        count += messages.size();
    });
    ASSERT_EQ(quick.connectToHub("quick", hub.url()), Error::ok);
    ASSERT_EQ(quick.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(publisher.publish("t", stamped(0, i, 1000)), Error::ok);
    EXPECT_TRUE(eventually([&] { return count == 5000; }));
    quick.close();
    EXPECT_TRUE(check.perfect());
}

TEST(SelfFeeding, a_program_that_floods_a_topic_which_it_reads_itself_is_told_and_does_not_hang) {
    Watchdog const watchdog{"publishing to the own topic"};
    TestHub hub{smallWindow()};
    PublisherClient publisher;
    PublisherOptions options;
    options.maxBufferedBytes = 256 * 1024;
    options.blockTimeout = 50ms;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    std::atomic<Error> last{Error::ok};
    Gate done;
    TestSubscriber subscriber;
    subscriber.client.subscribe("t", [&](std::string&&) {
        while (last == Error::ok) last = publisher.publish("t", std::string(1000, 'x'));
        done.open();
    });
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    ASSERT_EQ(publisher.publish("t", "go"), Error::ok);
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(last, Error::bufferFull);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "afterwards everything goes on";
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
}

}  // namespace
}  // namespace gazellemq::client
