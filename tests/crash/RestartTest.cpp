#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "HubProcess.hpp"
#include "Received.hpp"
#include "Stamp.hpp"
#include "TestHub.hpp"

/// B16: a hub that ends and comes back while publishers publish and subscribers receive.
namespace gazellemq::test {
namespace {

using client::PublisherClient;
using client::PublisherOptions;
using client::SubscriberClient;
using client::SubscriberOptions;

/// A publisher that publishes as fast as it may, on a thread of its own, until it is told to stop.
class Source {
  public:
    Source(std::uint32_t number, std::string const& url) : number_(number) {
        auto options = impatient<PublisherOptions>();
        options.maxBufferedBytes = 512 * 1024;
        client_.onPublishFailed([this](std::string_view, std::uint64_t count, Error, std::string_view) { failed_ += count; });
        client_.connectToHub("source", url, options);
        thread_ = std::thread{[this] {
            while (!stop_) {
                if (client_.publish("restart", stamped(number_, accepted_, 86)) == Error::ok) ++accepted_;
            }
        }};
    }
    ~Source() { stop(); }

    void stop() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

    /// Stops, and returns when the fate of every message is known.
    void settle() {
        stop();
        auto const flushed = client_.flush(kPatience);
        EXPECT_TRUE(flushed == Error::ok || flushed == Error::linkLost) << nameOf(flushed);
    }

    /// Every message that publish() took is in one of the counts, and none in two.
    void expectAllAccountedFor() {
        auto const stats = client_.stats();
        EXPECT_EQ(stats.published, accepted_);
        EXPECT_EQ(stats.published, stats.confirmed + stats.lost + stats.refused);
        EXPECT_EQ(stats.buffered, 0u);
        EXPECT_EQ(stats.unconfirmed, 0u);
        EXPECT_EQ(stats.bufferedBytes, 0u);
        EXPECT_EQ(stats.refused, failed_);
    }

    /// One more message, to know that all before it are through.
    void publishLast() {
        ASSERT_EQ(client_.publish("restart", stamped(number_, accepted_++, 86)), Error::ok);
        ASSERT_NE(client_.flush(kPatience), Error::timeout);
    }

    std::uint64_t accepted() const { return accepted_; }
    PublisherClient& client() { return client_; }

  private:
    std::uint32_t const number_;
    std::atomic<std::uint64_t> accepted_{0};
    std::atomic<std::uint64_t> failed_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
    PublisherClient client_;
};

/// A subscriber that checks what it receives.
class Sink {
  public:
    explicit Sink(std::string const& url) {
        client_.onError([this](Error, std::string_view) { ++errors_; });
        client_.subscribe("restart", [this](client::Message const& message) {
            std::lock_guard const lock{mutex_};
            check_.take(message.payload);
            changed_.notify_all();
        });
        client_.connectToHub("sink", url, impatient<SubscriberOptions>());
        EXPECT_EQ(client_.waitUntilSubscribed(kPatience), Error::ok);
    }

    /// Waits for `count` more messages.
    bool waitForMore(std::uint64_t count) {
        std::unique_lock lock{mutex_};
        auto const until = check_.count + count;
        return changed_.wait_for(lock, kPatience, [&] { return check_.count >= until; });
    }
    /// Waits until the last of `count` messages of `publisher` is there.
    bool waitForLast(std::uint32_t publisher, std::uint64_t count) {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, kPatience, [&] { return check_.next[publisher] == count; });
    }
    bool waitUntilSubscribed() { return client_.waitUntilSubscribed(kPatience) == Error::ok; }

    void expectNothingWrong() {
        client_.close();
        EXPECT_EQ(check_.repeatedOrLate, 0u);
        EXPECT_EQ(check_.damaged, 0u);
        EXPECT_EQ(client_.stats().damaged, 0u);
        EXPECT_EQ(errors_, 0u);
    }
    StampCheck const& check() const { return check_; }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    StampCheck check_;
    std::atomic<std::uint64_t> errors_{0};
    SubscriberClient client_;
};

/// Two sources, two sinks, and a hub that ends by each of `signals` in turn.
void runThrough(std::vector<int> const& signals) {
    HubProcess hub;
    Sink first{hub.url()};
    Sink second{hub.url()};
    Source one{1, hub.url()};
    Source two{2, hub.url()};
    for (auto const signal : signals) {
        ASSERT_TRUE(first.waitForMore(2000));
        ASSERT_TRUE(second.waitForMore(2000));
        hub.signal(signal);
        EXPECT_EQ(hub.process().waitForEnd(), signal == SIGKILL ? "signal 9" : "exit 0");
        auto const log = hub.process().errors();
        EXPECT_EQ(log.find("protocolViolation"), std::string::npos) << log;
        EXPECT_EQ(log.find("tooLarge"), std::string::npos) << log;
        hub.start();
    }
    ASSERT_TRUE(first.waitForMore(2000));
    ASSERT_TRUE(second.waitForMore(2000));
    one.settle();
    two.settle();
    ASSERT_TRUE(first.waitUntilSubscribed());
    ASSERT_TRUE(second.waitUntilSubscribed());
    one.publishLast();
    two.publishLast();
    for (auto* sink : {&first, &second}) {
        EXPECT_TRUE(sink->waitForLast(1, one.accepted()));
        EXPECT_TRUE(sink->waitForLast(2, two.accepted()));
        sink->expectNothingWrong();
    }
    for (auto* source : {&one, &two}) {
        source->expectAllAccountedFor();
        auto const stats = source->client().stats();
        if (std::count(signals.begin(), signals.end(), SIGKILL) == 0) {
            EXPECT_EQ(stats.lost, 0u) << "a drain loses nothing";
        }
        EXPECT_EQ(stats.refused, 0u);
    }
    EXPECT_EQ(hub.stop(), "exit 0");
}

TEST(HubRestart, after_kills_under_load_both_sides_carry_on_and_every_message_is_accounted_for) {
    runThrough(std::vector<int>(20, SIGKILL));
}

TEST(HubRestart, after_drains_under_load_nothing_is_lost) { runThrough(std::vector<int>(20, SIGTERM)); }

TEST(HubRestart, by_kills_and_drains_in_turn_confuses_nobody) {
    runThrough({SIGTERM, SIGKILL, SIGKILL, SIGTERM, SIGTERM, SIGKILL});
}

TEST(HubRestart, what_was_sent_to_a_hub_that_died_before_it_confirmed_is_lost_and_counted_and_not_sent_again) {
    HubProcess hub;
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", hub.url(), impatient<SubscriberOptions>());
    ASSERT_EQ(subscriber.subscribe("frozen"), Error::ok);
    PublisherClient publisher;
    publisher.connectToHub("publisher", hub.url(), impatient<PublisherOptions>());
    ASSERT_EQ(publisher.publish("frozen", stamped(0, 0)), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);

    hub.process().freeze();
    for (std::uint64_t i = 1; i <= 10; ++i) ASSERT_EQ(publisher.publish("frozen", stamped(0, i)), Error::ok);
    EXPECT_TRUE(eventually([&] { return publisher.stats().unconfirmed == 10; })) << "sent, as far as the system tells";
    hub.kill();
    ASSERT_TRUE(subscriber.states.waitForOne(client::State::disconnected));
    hub.start();
    EXPECT_EQ(publisher.flush(kPatience), Error::linkLost);
    EXPECT_EQ(publisher.stats().lost, 10u);
    EXPECT_EQ(publisher.stats().confirmed, 1u);

    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    ASSERT_EQ(publisher.publish("frozen", stamped(0, 11)), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "what was lost has been told";
    EXPECT_EQ(publisher.stats().confirmed, 2u);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    EXPECT_EQ(subscriber.payloads(), (std::vector{stamped(0, 0), stamped(0, 11)}));
}

TEST(HubRestart, what_is_published_while_nobody_serves_arrives_in_order_afterwards) {
    HubProcess hub;
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", hub.url(), impatient<SubscriberOptions>());
    ASSERT_EQ(subscriber.subscribe("offline"), Error::ok);
    Inbox<client::State> states;
    PublisherClient publisher;
    publisher.onStateChange([&](client::StateChange const& change) { states.add(change.state); });
    auto options = impatient<PublisherOptions>();
    options.whenFull = client::WhenFull::fail;
    options.maxBufferedBytes = 256 * 1024;
    publisher.connectToHub("publisher", hub.url(), options);
    ASSERT_EQ(publisher.publish("offline", stamped(0, 0)), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    hub.kill();
    ASSERT_TRUE(states.waitForOne(client::State::disconnected));
    ASSERT_TRUE(subscriber.states.waitForOne(client::State::disconnected));

    std::uint64_t accepted = 1;
    while (publisher.publish("offline", stamped(0, accepted, 1000)) == Error::ok) ++accepted;
    EXPECT_EQ(publisher.publish("offline", std::string(1000, 'x')), Error::bufferFull);
    EXPECT_GT(accepted, 200u);
    EXPECT_EQ(publisher.stats().buffered, accepted - 1);

    // The subscriber may come back after the publisher: then it misses the first ones. It must not miss any in between.
    hub.start();
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.stats().confirmed, accepted);
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    ASSERT_EQ(publisher.publish("offline", stamped(0, accepted)), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitUntil(
        [&](auto const& all) { return !all.empty() && Stamp::read(all.back().payload).value().sequence == accepted; }));
    StampCheck check;
    for (auto const& payload : subscriber.payloads()) check.take(payload);
    EXPECT_EQ(check.damaged + check.repeatedOrLate, 0u);
}

}  // namespace
}  // namespace gazellemq::test
