#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "Received.hpp"
#include "TestHub.hpp"

/// B12: clients that end while callbacks run, and what callbacks may still touch.
namespace gazellemq::client {
namespace {

using namespace test;

/// A subscriber of its own whose callback of topic "t" does what the test says.
struct Running {
    explicit Running(TestHub& hub, std::function<void()> what) : client(std::make_unique<SubscriberClient>()) {
        client->connectToHub("running", hub.url());
        client->subscribe("t", [what = std::move(what)](std::string&&) { what(); });
        EXPECT_EQ(client->waitUntilSubscribed(kPatience), Error::ok);
    }
    std::unique_ptr<SubscriberClient> client;
};

class CallbackLifetime : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok); }

    Watchdog watchdog{testing::UnitTest::GetInstance()->current_test_info()->name()};
    TestHub hub;
    PublisherClient publisher;
    Gate done;
};

TEST_F(CallbackLifetime, a_callback_may_delete_the_subscriber_that_owns_it) {
    for (auto const* payload : {"x", ""}) {
        std::atomic<int> calls{0};
        Gate deleted;
        std::unique_ptr<Running> running;
        running = std::make_unique<Running>(hub, [&, kept = std::string(1000, 'k')] {
            ++calls;
            running->client.reset();
            EXPECT_EQ(kept, std::string(1000, 'k')) << "what the callback holds lives as long as it runs";
            deleted.open();
        });
        std::vector<std::string_view> const many(100, payload);
        EXPECT_EQ(publisher.publishBatch("t", many), Error::ok);
        ASSERT_TRUE(deleted.wait());
        EXPECT_EQ(publisher.flush(kPatience), Error::ok);
        EXPECT_EQ(calls, 1);
    }
}

TEST_F(CallbackLifetime, a_callback_may_delete_its_subscriber_in_the_batch_and_message_forms) {
    auto client = std::make_unique<SubscriberClient>();
    Gate first;
    client->connectToHub("batch", hub.url());
    client->subscribe("t", [&](std::span<Message const> messages) {
        client.reset();
        for (auto const& message : messages) EXPECT_EQ(message.payload, "still valid");
        first.open();
    });
    ASSERT_EQ(client->waitUntilSubscribed(kPatience), Error::ok);
    std::vector<std::string_view> const many(10, "still valid");
    EXPECT_EQ(publisher.publishBatch("t", many), Error::ok);
    ASSERT_TRUE(first.wait());

    auto other = std::make_unique<SubscriberClient>();
    other->connectToHub("message", hub.url());
    other->subscribe("t", [&](Message const& message) {
        other.reset();
        EXPECT_EQ(message.payload, "still valid");
        EXPECT_EQ(message.topic, "t");
        done.open();
    });
    ASSERT_EQ(other->waitUntilSubscribed(kPatience), Error::ok);
    EXPECT_EQ(publisher.publishBatch("t", many), Error::ok);
    EXPECT_TRUE(done.wait());
}

TEST_F(CallbackLifetime, a_callback_may_delete_another_subscriber_whose_callback_is_running) {
    Gate otherRuns, mayReturn, deleting;
    OpensAtEnd const opens{mayReturn};
    std::atomic<bool> returned{false};
    std::atomic<bool> returnedFirst{false};
    Running other{hub, [&] {
                      otherRuns.open();
                      mayReturn.wait();
                      returned = true;
                  }};
    Running deleter{hub, [&] {
                        otherRuns.wait();
                        deleting.open();
                        other.client.reset();
                        returnedFirst = returned.load();
                        done.open();
                    }};
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(deleting.wait());
    mayReturn.open();
    ASSERT_TRUE(done.wait());
    EXPECT_TRUE(returnedFirst) << "destruction waits for the running callback";
}

TEST_F(CallbackLifetime, a_callback_may_close_its_client_and_the_publisher) {
    std::unique_ptr<Running> running;
    std::atomic<std::uint64_t> unconfirmed{99};
    running = std::make_unique<Running>(hub, [&] {
        running->client->close();
        unconfirmed = publisher.close(kPatience);
        done.open();
    });
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(unconfirmed, 0U);
    EXPECT_EQ(running->client->state(), State::closed);
    EXPECT_EQ(publisher.state(), State::closed);
}

TEST_F(CallbackLifetime, destruction_waits_for_a_callback_that_has_closed_its_client_itself) {
    for (auto const destroys : {true, false}) {
        Gate closed, mayReturn;
        OpensAtEnd const opens{mayReturn};
        auto const returned = std::make_shared<std::atomic<bool>>(false);
        std::unique_ptr<Running> running;
        running = std::make_unique<Running>(hub, [&, returned] {
            running->client->close();
            closed.open();
            mayReturn.wait();
            *returned = true;
        });
        ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
        ASSERT_TRUE(closed.wait());
        std::thread opener{[&] { mayReturn.open(); }};
        if (destroys) running->client.reset();
        else running->client->close();
        EXPECT_TRUE(*returned);
        opener.join();
        ASSERT_TRUE(eventually([&] { return returned->load(); }));  // keeps what it uses alive, whatever the outcome
    }
}

TEST_F(CallbackLifetime, a_callback_may_delete_the_publisher_that_it_uses) {
    auto other = std::make_unique<PublisherClient>();
    ASSERT_EQ(other->connectToHub("other", hub.url()), Error::ok);
    Running running{hub, [&] {
                        if (!other) return;
                        EXPECT_EQ(other->publish("elsewhere", "x"), Error::ok);
                        other.reset();
                        done.open();
                    }};
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_TRUE(done.wait());
}

TEST_F(CallbackLifetime, after_unsubscribe_returns_what_the_callback_uses_may_be_freed) {
    SubscriberClient client;
    ASSERT_EQ(client.connectToHub("subscriber", hub.url()), Error::ok);
    std::atomic<bool> stop{false};
    std::thread feeder{[&] {
        while (!stop) publisher.publish("t", "x");
    }};
    for (int i = 0; i < 200; ++i) {
        auto used = std::make_unique<std::vector<int>>(100, 0);
        std::atomic<int> calls{0};
        auto const id = client.subscribe("t", [&calls, raw = used.get()](std::string&&) {
                                  for (auto& number : *raw) ++number;
                                  ++calls;
                              }).id();
        ASSERT_TRUE(eventually([&] { return calls > 0; }));
        EXPECT_EQ(client.unsubscribe(id), Error::ok);
        used.reset();
        auto const seen = calls.load();
        EXPECT_EQ(client.waitUntilSubscribed(kPatience), Error::ok);
        EXPECT_EQ(calls, seen);
    }
    stop = true;
    feeder.join();
}

TEST_F(CallbackLifetime, unsubscribe_on_another_thread_waits_for_the_running_callback) {
    Gate runs, mayReturn, unsubscribed;
    OpensAtEnd const opens{mayReturn};
    std::atomic<bool> returned{false};
    Running running{hub, [&] {
                        runs.open();
                        mayReturn.wait();
                        returned = true;
                    }};
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(runs.wait());
    std::atomic<bool> returnedFirst{false};
    std::thread other{[&] {
        running.client->unsubscribe("t");
        returnedFirst = returned.load();
        unsubscribed.open();
    }};
    ASSERT_TRUE(eventually([&] { return hub.server().stats().subscriptions == 0; })) << "it has begun";
    EXPECT_FALSE(unsubscribed.isOpen());
    mayReturn.open();
    other.join();
    EXPECT_TRUE(returnedFirst);
}

TEST_F(CallbackLifetime, unsubscribe_does_not_wait_for_callbacks_of_other_subscriptions) {
    Gate runs, mayReturn;
    OpensAtEnd const opens{mayReturn};
    Running running{hub, [&] {
                        runs.open();
                        mayReturn.wait();
                    }};
    auto const other = running.client->subscribe("other", [](std::string&&) {}).id();
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(runs.wait());
    EXPECT_EQ(running.client->unsubscribe(other), Error::ok);
    mayReturn.open();
}

TEST_F(CallbackLifetime, the_end_is_told_once_before_close_returns_also_while_a_callback_runs) {
    Gate runs, mayReturn;
    OpensAtEnd const opens{mayReturn};
    Running running{hub, [&] {
                        runs.open();
                        mayReturn.wait();
                    }};
    Inbox<State> states;
    running.client->onStateChange([&](StateChange const& change) { states.add(change.state); });
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(runs.wait());
    std::thread opener{[&] { mayReturn.open(); }};
    running.client->close();
    EXPECT_THAT(states.all(), testing::ElementsAre(State::closed));
    opener.join();
}

}  // namespace
}  // namespace gazellemq::client
