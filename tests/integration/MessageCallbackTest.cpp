#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "Received.hpp"
#include "TestHub.hpp"

/// B12: what a message callback may do, each under a watchdog.
namespace gazellemq::client {
namespace {

using namespace test;
using testing::ElementsAre;

class MessageCallback : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
        SubscriberOptions options;
        options.heartbeat = 100ms;
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), options), Error::ok);
    }
    void publish(std::string const& topic, std::string const& payload) {
        ASSERT_EQ(publisher.publish(topic, payload), Error::ok);
    }

    Watchdog watchdog{testing::UnitTest::GetInstance()->current_test_info()->name()};
    TestHub hub;
    PublisherClient publisher;
    TestSubscriber subscriber;
    Gate done;
};

TEST_F(MessageCallback, may_publish_to_its_own_and_to_other_topics_and_wait_for_the_confirm) {
    ASSERT_EQ(subscriber.subscribe("other"), Error::ok);
    std::vector<Error> results;
    subscriber.client.subscribe("t", [&](std::string&& text) {
        if (text == "echo") return done.open();
        results = {publisher.publish("t", "echo"), publisher.publish("other", "x"), publisher.flush(kPatience)};
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "go");
    EXPECT_TRUE(done.wait());
    EXPECT_THAT(results, ElementsAre(Error::ok, Error::ok, Error::ok));
    EXPECT_TRUE(subscriber.messages.waitFor(1));
}

TEST_F(MessageCallback, may_subscribe_and_wait_for_the_hub) {
    auto result = Error::timeout;
    subscriber.client.subscribe("t", [&](std::string&&) { result = subscriber.subscribe("later"); });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "go");
    ASSERT_TRUE(eventually([&] { return hub.server().stats().subscriptions == 2; }));
    publish("later", "x");
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(result, Error::ok);
}

TEST_F(MessageCallback, may_receive_from_a_pull_subscription) {
    Inbox<std::string> pulled;
    subscriber.client.subscribe("pulled");
    subscriber.client.subscribe("t", [&](std::string&&) {
        if (auto const message = subscriber.client.receive(kPatience)) pulled.add(std::string{message->payload});
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "go");
    publish("pulled", "x");
    EXPECT_TRUE(pulled.waitForOne("x"));
}

TEST_F(MessageCallback, may_unsubscribe_itself) {
    std::atomic<int> calls{0};
    auto result = Error::timeout;
    subscriber.client.subscribe("t", [&](std::string&&) {
        ++calls;
        result = subscriber.client.unsubscribe("t");
    });
    ASSERT_EQ(subscriber.subscribe("other"), Error::ok);
    std::vector<std::string_view> const three{"1", "2", "3"};
    EXPECT_EQ(publisher.publishBatch("t", three), Error::ok);
    ASSERT_TRUE(eventually([&] { return calls == 1; }));
    EXPECT_EQ(publisher.publishBatch("t", three), Error::ok);
    publish("other", "x");
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(eventually([&] { return subscriber.client.stats().queuedBytes == 0; }));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(result, Error::ok);
}

TEST_F(MessageCallback, may_unsubscribe_another) {
    ASSERT_EQ(subscriber.subscribe("other"), Error::ok);
    auto result = Error::timeout;
    subscriber.client.subscribe("t", [&](std::string&&) {
        result = subscriber.client.unsubscribe("other");
        done.open();
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "go");
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(result, Error::ok);
    EXPECT_TRUE(eventually([&] { return hub.server().stats().subscriptions == 1; }));
}

TEST_F(MessageCallback, may_ask_for_state_and_statistics) {
    subscriber.client.subscribe("t", [&](std::string&&) {
        if (subscriber.client.state() == State::ready && publisher.state() == State::ready &&
            subscriber.client.stats().damaged == 0 && publisher.stats().published > 0) {
            done.open();
        }
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "go");
    EXPECT_TRUE(done.wait());
}

TEST_F(MessageCallback, is_told_that_drain_would_deadlock) {
    std::atomic<Error> result{Error::ok};
    subscriber.client.subscribe("t", [&](std::string&&) {
        result = subscriber.client.drain(kPatience);
        done.open();
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "go");
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(result, Error::wouldDeadlock);
    EXPECT_EQ(subscriber.client.state(), State::ready);
}

TEST_F(MessageCallback, may_throw_and_the_next_message_is_delivered) {
    subscriber.client.subscribe("t", [&](Message const& message) {
        if (message.payload == "exception") throw std::runtime_error("what it says");
        if (message.payload == "number") throw 42;
        subscriber.keep()(message);
    });
    subscriber.client.subscribe("b", [&](std::span<Message const>) { throw std::runtime_error("batch"); });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    std::vector<std::string_view> const some{"1", "exception", "2", "number", "3"};
    EXPECT_EQ(publisher.publishBatch("t", some), Error::ok);
    publish("b", "x");
    ASSERT_TRUE(subscriber.messages.waitFor(3));
    ASSERT_TRUE(subscriber.errors.waitFor(3));
    EXPECT_THAT(subscriber.payloads(), ElementsAre("1", "2", "3"));
    EXPECT_THAT(subscriber.errors.all(), testing::Each(Error::callbackFailed));
    EXPECT_THAT(subscriber.reasons.all()[0], testing::HasSubstr("what it says"));
    EXPECT_TRUE(eventually([&] { return subscriber.client.stats().queuedBytes == 0; }));
}

TEST_F(MessageCallback, may_throw_in_the_error_callback_too) {
    subscriber.client.onError([](Error, std::string_view) { throw std::runtime_error("again"); });
    subscriber.client.subscribe("t", [&](std::string&& text) {
        if (text == "last") return done.open();
        throw std::runtime_error("first");
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "x");
    publish("t", "last");
    EXPECT_TRUE(done.wait());
}

TEST_F(MessageCallback, may_block_long_while_heartbeats_keep_the_link) {
    Gate never;
    subscriber.client.subscribe("t", [&](std::string&& text) {
        if (text == "block") never.wait(5s);  // the link is given up after 1.2 s of silence
        done.open();
    });
    ASSERT_EQ(subscriber.subscribe("other"), Error::ok);
    publish("t", "block");
    ASSERT_TRUE(done.wait());
    publish("other", "x");
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_THAT(subscriber.states.all(), ElementsAre(State::connecting, State::ready));
}

TEST_F(MessageCallback, may_block_long_in_the_middle_of_a_stream) {
    constexpr int kMessages = 200'000;
    Gate never;
    std::atomic<int> count{0};
    subscriber.client.subscribe("t", [&](std::string&&) {
        auto const now = ++count;
        if (now == kMessages / 2) never.wait(3s);  // the link is given up after 1.2 s of silence
        if (now == kMessages) done.open();
    });
    ASSERT_EQ(subscriber.subscribe("other"), Error::ok);
    for (int i = 0; i < kMessages; ++i) publish("t", std::string(100, 'x'));
    ASSERT_TRUE(done.wait());
    publish("other", "x");
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_THAT(subscriber.states.all(), ElementsAre(State::connecting, State::ready));
}

TEST_F(MessageCallback, blocked_in_the_middle_of_a_stream_does_not_hold_up_a_program_that_pulls) {
    constexpr int kMessages = 20'000;
    Gate blocked;
    Gate goOn;
    std::atomic<int> count = 0;
    subscriber.client.subscribe("t", [&](std::string&&) {
        if (++count < kMessages / 2) return;
        blocked.open();
        goOn.wait();
    });
    subscriber.client.subscribe("pulled");
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    for (int i = 0; i < kMessages; ++i) publish("t", std::string(100, 'x'));
    ASSERT_TRUE(blocked.wait());
    publish("pulled", "while blocked");
    auto const message = subscriber.client.receive(kPatience);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->payload, "while blocked");
    goOn.open();
    EXPECT_EQ(subscriber.client.unsubscribe("t"), Error::ok) << "no callback uses the gates any more";
}

TEST_F(MessageCallback, may_replace_the_other_callbacks) {
    subscriber.client.subscribe("t", [&](std::string&&) {
        subscriber.client.onError([&](Error, std::string_view) { done.open(); });
        throw std::runtime_error("told to the new one");
    });
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    publish("t", "x");
    EXPECT_TRUE(done.wait());
}

TEST_F(MessageCallback, an_error_callback_that_owns_a_client_may_be_replaced) {
    struct Asks {
        Asks(PublisherClient& of, Gate& gate) : client(of), asked(gate) {}
        PublisherClient& client;
        Gate& asked;
        ~Asks() {
            client.state();
            asked.open();
        }
    };
    publisher.onError([asks = std::make_shared<Asks>(publisher, done)](Error, std::string_view) {});
    publisher.onError({});
    EXPECT_TRUE(done.isOpen());
}

}  // namespace
}  // namespace gazellemq::client
