#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;
using testing::ElementsAre;

class Subscriptions : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    }

    TestHub hub;
    PublisherClient publisher;
    TestSubscriber subscriber;
};

TEST_F(Subscriptions, wildcards_match_one_level_or_the_rest) {
    std::vector<std::string> const patterns{"shop.*", "shop.>", "*.orders", ">", "*", "shop.*.new"};
    std::vector<Inbox<std::string>> inboxes(patterns.size());
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        subscriber.client.subscribe(patterns[i], [&inbox = inboxes[i]](Message const& message) { inbox.add(std::string{message.topic}); });
    }
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    // The last one tells that the others have come: topics are delivered in turn, so wait for all counts.
    for (auto const* topic : {"shop", "shop.orders", "shop.orders.new", "home.orders", "home"}) {
        EXPECT_EQ(publisher.publish(topic, topic), Error::ok);
    }
    std::vector<std::vector<std::string>> const expected{{"shop.orders"},
                                                         {"shop.orders", "shop.orders.new"},
                                                         {"shop.orders", "home.orders"},
                                                         {"shop", "shop.orders", "shop.orders.new", "home.orders", "home"},
                                                         {"shop", "home"},
                                                         {"shop.orders.new"}};
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        EXPECT_TRUE(inboxes[i].waitFor(expected[i].size())) << patterns[i];
    }
    // A second round: topics are known now. Nothing that did not match may have come before it.
    EXPECT_EQ(publisher.publish("shop.orders", "again"), Error::ok);
    EXPECT_TRUE(inboxes[3].waitFor(expected[3].size() + 1));
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    subscriber.client.drain(kPatience);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        auto wanted = expected[i];
        if (i < 4) wanted.push_back("shop.orders");
        EXPECT_THAT(inboxes[i].all(), testing::UnorderedElementsAreArray(wanted)) << patterns[i];
    }
}

TEST_F(Subscriptions, a_wildcard_finds_topics_that_exist_and_topics_made_later) {
    EXPECT_EQ(publisher.publish("a.old", "nobody listens"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    ASSERT_EQ(subscriber.subscribe("a.*"), Error::ok);
    EXPECT_EQ(publisher.publish("a.old", "1"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(publisher.publish("a.new", "2"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    auto const messages = subscriber.messages.all();
    EXPECT_EQ(messages[0].topic, "a.old");
    EXPECT_EQ(messages[0].offset, 1U) << "one message came before the subscription";
    EXPECT_EQ(messages[1].topic, "a.new");
    EXPECT_EQ(messages[1].offset, 0U);
}

TEST_F(Subscriptions, an_exact_and_a_wildcard_subscription_of_one_client_each_get_a_copy) {
    ASSERT_EQ(subscriber.subscribe("a.b"), Error::ok);
    ASSERT_EQ(subscriber.subscribe("a.>"), Error::ok);
    EXPECT_EQ(publisher.publish("a.b", "x"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    EXPECT_THAT(subscriber.payloads(), ElementsAre("x", "x"));
}

TEST_F(Subscriptions, after_unsubscribe_nothing_comes_any_more) {
    std::atomic<int> afterwards{0};
    std::atomic<bool> over{false};
    auto const id = subscriber.client.subscribe("t", [&](std::string&&) { afterwards += over; }).id();
    ASSERT_EQ(subscriber.subscribe("other"), Error::ok);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(publisher.publish("t", std::string(100, 'x')), Error::ok);
    EXPECT_EQ(subscriber.client.unsubscribe(id), Error::ok);
    over = true;
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.publish("other", "y"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(afterwards, 0);
    EXPECT_EQ(subscriber.client.unsubscribe(id), Error::notSubscribed);
    EXPECT_TRUE(eventually([&] { return hub.server().stats().subscriptions == 1; }));
    EXPECT_TRUE(eventually([&] { return subscriber.client.stats().queuedBytes == 0; }));
}

TEST_F(Subscriptions, unsubscribe_by_name_ends_all_subscriptions_of_exactly_that_name) {
    Inbox<std::string> gone;
    for (int i = 0; i < 3; ++i) subscriber.client.subscribe("t", [&](std::string&& text) { gone.add(std::move(text)); });
    ASSERT_EQ(subscriber.subscribe("*"), Error::ok);
    EXPECT_EQ(subscriber.client.unsubscribe("t"), Error::ok);
    EXPECT_EQ(subscriber.client.unsubscribe("t"), Error::notSubscribed);
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(gone.size(), 0U);
}

TEST_F(Subscriptions, unsubscribing_a_pull_subscription_frees_what_waited_for_receive) {
    auto const id = subscriber.client.subscribe("t").id();
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(publisher.publish("t", std::string(1000, 'x')), Error::ok);
        EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    }
    ASSERT_TRUE(eventually([&] { return subscriber.client.stats().queuedBytes > 10'000; }));
    ASSERT_TRUE(subscriber.client.receive(kPatience));
    EXPECT_EQ(subscriber.client.unsubscribe(id), Error::ok);
    EXPECT_FALSE(subscriber.client.receive(0ms));
    EXPECT_EQ(subscriber.client.stats().queuedBytes, 0U);
}

TEST_F(Subscriptions, subscribing_again_after_unsubscribe_starts_with_what_is_published_then) {
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    EXPECT_EQ(publisher.publish("t", "1"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(subscriber.client.unsubscribe("t"), Error::ok);
    ASSERT_EQ(subscriber.subscribe("marker"), Error::ok);  // the hub has seen the unsubscribe
    EXPECT_EQ(publisher.publish("t", "2"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    EXPECT_EQ(publisher.publish("t", "3"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    EXPECT_THAT(subscriber.payloads(), ElementsAre("1", "3"));
    EXPECT_EQ(subscriber.messages.all()[1].offset, 2U);
}

TEST_F(Subscriptions, waiting_for_the_hub_ends_at_its_timeout_when_there_is_no_hub) {
    TestSubscriber lonely;
    lonely.client.subscribe("t", lonely.keep());
    EXPECT_EQ(lonely.client.waitUntilSubscribed(10ms), Error::timeout) << "never connected";
    EXPECT_EQ(TestSubscriber{}.client.waitUntilSubscribed(10ms), Error::ok) << "nothing to wait for";
}

TEST_F(Subscriptions, receive_ends_when_another_thread_closes) {
    subscriber.client.subscribe("t");
    std::thread closer{[&] {
        ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
        subscriber.client.close();
    }};
    EXPECT_FALSE(subscriber.client.receive(kPatience));
    closer.join();
}

}  // namespace
}  // namespace gazellemq::client
