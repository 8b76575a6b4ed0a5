#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "Received.hpp"
#include "Stamp.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

/// A subscriber that verifies stamped messages of every topic it gets.
struct Verifier {
    std::map<std::string, StampCheck> topics;  // of the callback thread until it is done
    std::atomic<std::uint64_t> count{0};
    SubscriberClient client;

    void subscribe(std::string const& pattern) {
        client.subscribe(pattern, [this](std::span<Message const> messages) {
            for (auto const& message : messages) topics[std::string{message.topic}].take(message.payload);
            count += messages.size();
        });
    }
    bool perfect() const {
        for (auto const& [name, check] : topics) {
            if (!check.perfect()) return false;
        }
        return true;
    }
};

TEST(Volume, three_subscribers_receive_every_message_in_order_and_undamaged) {
    constexpr std::uint64_t kMessages = 200'000;
    TestHub hub;
    std::array<Verifier, 3> verifiers;
    for (auto& verifier : verifiers) {
        ASSERT_EQ(verifier.client.connectToHub("verifier", hub.url()), Error::ok);
        verifier.subscribe("t");
        ASSERT_EQ(verifier.client.waitUntilSubscribed(kPatience), Error::ok);
    }
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (std::uint64_t i = 0; i < kMessages; ++i) ASSERT_EQ(publisher.publish("t", stamped(0, i, 16 + i % 200)), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.stats().confirmed, kMessages);
    for (auto& verifier : verifiers) {
        ASSERT_TRUE(eventually([&] { return verifier.count == kMessages; })) << verifier.count;
        verifier.client.close();
        EXPECT_TRUE(verifier.perfect());
        EXPECT_EQ(verifier.topics.size(), 1U);
    }
}

TEST(Volume, several_publishers_and_threads_on_one_topic_keep_the_order_of_each) {
    constexpr std::uint32_t kPublishers = 4;
    constexpr std::uint64_t kMessages = 20'000;
    TestHub hub;
    Verifier verifier;
    ASSERT_EQ(verifier.client.connectToHub("verifier", hub.url()), Error::ok);
    verifier.subscribe("t");
    ASSERT_EQ(verifier.client.waitUntilSubscribed(kPatience), Error::ok);
    std::vector<std::thread> threads;
    PublisherClient shared;
    ASSERT_EQ(shared.connectToHub("shared", hub.url()), Error::ok);
    for (std::uint32_t id = 0; id < kPublishers; ++id) {
        threads.emplace_back([&, id] {
            PublisherClient own;
            // Half of the threads share one client.
            auto& publisher = id % 2 == 0 ? shared : own;
            EXPECT_EQ(own.connectToHub("own", hub.url()), Error::ok);
            for (std::uint64_t i = 0; i < kMessages; ++i) ASSERT_EQ(publisher.publish("t", stamped(id, i, 16 + i % 100)), Error::ok);
            EXPECT_EQ(publisher.flush(kPatience), Error::ok);
        });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_TRUE(eventually([&] { return verifier.count == kPublishers * kMessages; })) << verifier.count;
    verifier.client.close();
    EXPECT_TRUE(verifier.perfect());
}

TEST(Volume, a_thousand_topics_over_one_connection_all_arrive) {
    constexpr std::uint64_t kTopics = 1000;
    constexpr std::uint64_t kRounds = 20;
    TestHub hub;
    Verifier all;
    Verifier some;
    ASSERT_EQ(all.client.connectToHub("all", hub.url()), Error::ok);
    ASSERT_EQ(some.client.connectToHub("some", hub.url()), Error::ok);
    all.subscribe("topics.>");
    for (std::uint64_t i = 0; i < kTopics; i += 10) some.subscribe("topics.t" + std::to_string(i));
    ASSERT_EQ(all.client.waitUntilSubscribed(kPatience), Error::ok);
    ASSERT_EQ(some.client.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        for (std::uint64_t i = 0; i < kTopics; ++i) {
            ASSERT_EQ(publisher.publish("topics.t" + std::to_string(i), stamped(0, round, 20)), Error::ok);
        }
    }
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    ASSERT_TRUE(eventually([&] { return all.count == kTopics * kRounds; })) << all.count;
    ASSERT_TRUE(eventually([&] { return some.count == kTopics / 10 * kRounds; })) << some.count;
    all.client.close();
    some.client.close();
    EXPECT_TRUE(all.perfect());
    EXPECT_TRUE(some.perfect());
    EXPECT_EQ(all.topics.size(), kTopics);
}

TEST(Volume, many_clients_come_and_go_while_messages_flow) {
    TestHub hub;
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    std::atomic<bool> stop{false};
    std::thread feeder{[&] {
        for (std::uint64_t i = 0; !stop; ++i) publisher.publish("t", stamped(0, i, 50));
    }};
    for (int i = 0; i < 50; ++i) {
        Verifier verifier;
        EXPECT_EQ(verifier.client.connectToHub("guest", hub.url()), Error::ok);
        verifier.subscribe(i % 2 == 0 ? "t" : "*");
        EXPECT_EQ(verifier.client.waitUntilSubscribed(kPatience), Error::ok);
        EXPECT_TRUE(eventually([&] { return verifier.count > 100; }));
        verifier.client.close();
        for (auto const& [name, check] : verifier.topics) EXPECT_EQ(check.damaged + check.repeatedOrLate, 0U);
    }
    stop = true;
    feeder.join();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(eventually([&] { return hub.server().stats().connections == 1 && hub.server().stats().subscriptions == 0; }));
}

}  // namespace
}  // namespace gazellemq::client
