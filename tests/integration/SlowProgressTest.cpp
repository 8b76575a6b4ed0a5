#include <gtest/gtest.h>

#include <atomic>

#include "TestHub.hpp"

/// Programs that are slow, far behind, and always going on: they are not taken for stalled.
namespace gazellemq::client {
namespace {

using namespace test;

class SlowProgress : public testing::Test {
  protected:
    SlowProgress() : hub(limits()) {}
    void SetUp() override {
        PublisherOptions options;
        options.maxBufferedBytes = 1024 * 1024;
        options.closeTimeout = 0ms;
        options.whenFull = WhenFull::fail;
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
        SubscriberOptions small;
        small.receiveWindowBytes = 64 * 1024;
        ASSERT_EQ(subscriber.connectToHub("slow", hub.url(), small), Error::ok);
    }
    static hub::Limits limits() {
        hub::Limits limits;
        limits.windowBytes = 256 * 1024;
        limits.stallLimit = 1000ms;
        return limits;
    }
    /// The slow program's work on one message.
    static void work() { Gate{}.wait(20ms); }
    /// More than the hub and the subscriber hold together.
    void flood(std::string const& topic, std::size_t bytes) {
        for (int i = 0; i < 5; ++i) {
            while (publisher.publish(topic, std::string(bytes, 'x')) == Error::ok) continue;
            publisher.flush(10ms);
        }
    }
    void expectNoStall() {
        for (auto const& line : hub.log.all()) EXPECT_EQ(line.find("stalled"), std::string::npos) << line;
        EXPECT_EQ(hub.server().stats().connections, 2U);
    }

    TestHub hub;
    std::atomic<std::uint64_t> handled{0};
    PublisherClient publisher;
    SubscriberClient subscriber;
};

TEST_F(SlowProgress, of_a_callback_on_large_messages) {
    subscriber.subscribe("t", [this](std::string&&) {
        work();
        ++handled;
    });
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    EXPECT_TRUE(eventually([&] {
        while (publisher.publish("t", std::string(15'000, 'x')) == Error::ok) continue;
        return handled >= 120;
    }));
    expectNoStall();
}

TEST_F(SlowProgress, of_a_callback_on_small_messages_of_which_hundreds_come_together) {
    subscriber.subscribe("t", [this](Message const&) {
        work();
        ++handled;
    });
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    flood("t", 100);
    EXPECT_TRUE(eventually([&] { return handled >= 120; }));
    expectNoStall();
}

TEST_F(SlowProgress, of_a_callback_on_one_topic_while_another_waits_behind_it) {
    for (auto const* topic : {"first", "second"}) {
        subscriber.subscribe(topic, [this](std::string&&) {
            work();
            ++handled;
        });
    }
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    flood("first", 100);
    EXPECT_TRUE(eventually([&] { return handled > 0; }));
    PublisherClient other;
    PublisherOptions options;
    options.closeTimeout = 0ms;
    ASSERT_EQ(other.connectToHub("other", hub.url(), options), Error::ok);
    for (int i = 0; i < 5000; ++i) EXPECT_EQ(other.publish("second", std::string(100, 'x')), Error::ok);
    other.flush(10ms);
    EXPECT_TRUE(eventually([&] { return handled >= 150; }));
    other.close(0ms);
    EXPECT_TRUE(eventually([&] { return hub.server().stats().connections <= 2; }));
    expectNoStall();
}

TEST_F(SlowProgress, of_a_program_that_pulls) {
    subscriber.subscribe("t");
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    flood("t", 100);
    for (int i = 0; i < 120; ++i) {
        ASSERT_TRUE(subscriber.receive(kPatience));
        work();
    }
    expectNoStall();
}

}  // namespace
}  // namespace gazellemq::client
