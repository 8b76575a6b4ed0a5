#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "TestHub.hpp"

/// B12: what the callbacks that are not about messages may do, each under a watchdog.
namespace gazellemq::client {
namespace {

using namespace test;

/// A hub that refuses the second topic and the second subscription of each connection.
hub::Limits strictHub() {
    hub::Limits limits;
    limits.maxSubscriptions = limits.maxOpenTopics = 1;
    return limits;
}

struct World {
    TestHub hub{strictHub()};
    PublisherClient helper;
    std::unique_ptr<SubscriberClient> subscriber = std::make_unique<SubscriberClient>();
    std::unique_ptr<PublisherClient> publisher = std::make_unique<PublisherClient>();

    World() {
        PublisherOptions options;
        options.closeTimeout = 10ms;
        helper.connectToHub("helper", hub.url(), options);
    }
};

struct Event {
    char const* name;
    /// Arranges that `run` is called once by the callback.
    std::function<void(World&, std::function<void()> run)> arrange;

    friend void PrintTo(Event const& event, std::ostream* out) { *out << event.name; }
};
struct Action {
    char const* name;
    /// True if it went as promised.
    std::function<bool(World&)> run;

    friend void PrintTo(Action const& action, std::ostream* out) { *out << action.name; }
};
std::string nameOfTest(testing::TestParamInfo<std::tuple<Event, Action>> const& info) {
    return std::string{std::get<0>(info.param).name} + "__" + std::get<1>(info.param).name;
}

/// Runs `run` at the first call only.
auto once(std::function<void()> run) {
    return [run = std::move(run), called = std::make_shared<std::atomic<bool>>(false)](auto const&...) {
        if (!called->exchange(true)) run();
    };
}

std::vector<Event> const kSubscriberEvents{
    {"onReady", [](World& world, auto run) { world.subscriber->setOnReady(once(run)); }},
    {"onStateChange_connecting", [](World& world, auto run) { world.subscriber->onStateChange(once(run)); }},
    {"onStateChange_disconnected",
     [](World& world, auto run) {
         world.subscriber->onStateChange([first = once(run)](StateChange const& change) {
             if (change.state == State::disconnected) first(change);
         });
         world.subscriber->setOnReady([&world] { world.hub.stop(); });
     }},
    {"onError",
     [](World& world, auto run) {
         world.subscriber->onError(once(run));
         for (auto const* topic : {"a", "b"}) world.subscriber->subscribe(topic, [](std::string&&) {});
     }},
};

std::vector<Action> const kSubscriberActions{
    {"publish_and_flush",
     [](World& world) { return world.helper.publish("a", "x") == Error::ok && world.helper.flush(10ms) != Error::closed; }},
    {"subscribe", [](World& world) { return world.subscriber->subscribe("c", [](std::string&&) {}).error() == Error::ok; }},
    {"unsubscribe",
     [](World& world) {
         world.subscriber->subscribe("d", [](std::string&&) {});
         return world.subscriber->unsubscribe("d") == Error::ok;
     }},
    {"wait_until_subscribed",
     [](World& world) {
         auto const error = world.subscriber->waitUntilSubscribed(10ms);
         return error == Error::ok || error == Error::timeout || error == Error::tooManySubscriptions;
     }},
    {"delete_the_client",
     [](World& world) {
         world.subscriber.reset();
         return true;
     }},
    {"close",
     [](World& world) {
         world.subscriber->close();
         return world.subscriber->state() == State::closed;
     }},
    {"ask",
     [](World& world) { return world.subscriber->state() != State::closed && world.subscriber->stats().received == 0; }},
    {"drain", [](World& world) { return world.subscriber->drain(kPatience) == Error::wouldDeadlock; }},
    {"receive", [](World& world) { return !world.subscriber->receive(1ms); }},
    {"replace_itself",
     [](World& world) {
         world.subscriber->setOnReady({}).onError({}).onStateChange({}).onDropped({});
         return true;
     }},
};

class SubscriberEvent : public testing::TestWithParam<std::tuple<Event, Action>> {};

TEST_P(SubscriberEvent, callback_may) {
    auto const& event = std::get<0>(GetParam());
    auto const& action = std::get<1>(GetParam());
    Watchdog const watchdog{std::string{event.name} + ": " + action.name};
    std::atomic<bool> good{false};
    Gate connected, done;
    World world;
    event.arrange(world, [&] {
        connected.wait();  // nobody destroys what another thread is calling
        good = action.run(world);
        done.open();
    });
    ASSERT_EQ(world.subscriber->connectToHub("subscriber", world.hub.url(), impatient<SubscriberOptions>()), Error::ok);
    connected.open();
    ASSERT_TRUE(done.wait());
    EXPECT_TRUE(good);
}

INSTANTIATE_TEST_SUITE_P(B12, SubscriberEvent,
                         testing::Combine(testing::ValuesIn(kSubscriberEvents), testing::ValuesIn(kSubscriberActions)), nameOfTest);

std::vector<Event> const kPublisherEvents{
    {"onReady", [](World& world, auto run) { world.publisher->setOnReady(once(run)); }},
    {"onStateChange_connecting", [](World& world, auto run) { world.publisher->onStateChange(once(run)); }},
    {"onStateChange_disconnected",
     [](World& world, auto run) {
         world.publisher->onStateChange([first = once(run)](StateChange const& change) {
             if (change.state == State::disconnected) first(change);
         });
         world.publisher->setOnReady([&world] { world.hub.stop(); });
     }},
    {"onPublishFailed",
     [](World& world, auto run) {
         world.publisher->onPublishFailed(once(run));
         for (auto const* topic : {"a", "b"}) world.publisher->publish(topic, "x");
     }},
    {"onError",
     [](World& world, auto run) {
         world.publisher->onError(once(run));
         world.publisher->setOnReady([] { throw std::runtime_error("to be told"); });
     }},
};

std::vector<Action> const kPublisherActions{
    {"publish_and_flush",
     [](World& world) {
         return world.publisher->publish("a", "x") == Error::ok && world.publisher->flush(10ms) != Error::closed;
     }},
    {"delete_the_client",
     [](World& world) {
         world.publisher.reset();
         return true;
     }},
    {"close",
     [](World& world) {
         world.publisher->close(10ms);
         return world.publisher->state() == State::closed;
     }},
    {"ask", [](World& world) { return world.publisher->state() != State::closed && world.publisher->stats().lost == 0; }},
    {"replace_itself",
     [](World& world) {
         world.publisher->setOnReady({}).onError({}).onStateChange({}).onPublishFailed({});
         return true;
     }},
};

class PublisherEvent : public testing::TestWithParam<std::tuple<Event, Action>> {};

TEST_P(PublisherEvent, callback_may) {
    auto const& event = std::get<0>(GetParam());
    auto const& action = std::get<1>(GetParam());
    Watchdog const watchdog{std::string{event.name} + ": " + action.name};
    std::atomic<bool> good{false};
    Gate connected, done;
    World world;
    event.arrange(world, [&] {
        connected.wait();
        good = action.run(world);
        done.open();
    });
    auto options = impatient<PublisherOptions>();
    options.closeTimeout = 10ms;
    ASSERT_EQ(world.publisher->connectToHub("publisher", world.hub.url(), options), Error::ok);
    connected.open();
    ASSERT_TRUE(done.wait());
    EXPECT_TRUE(good);
}

INSTANTIATE_TEST_SUITE_P(B12, PublisherEvent,
                         testing::Combine(testing::ValuesIn(kPublisherEvents), testing::ValuesIn(kPublisherActions)), nameOfTest);

TEST(EventCallbacks, may_throw_and_the_next_ones_are_called) {
    Inbox<std::string> told;
    World world;
    world.publisher->setOnReady([] { throw std::runtime_error("ready"); });
    world.publisher->onPublishFailed([](auto const&...) { throw std::runtime_error("failed"); });
    world.publisher->onStateChange([](StateChange const&) { throw 1; });
    world.publisher->onError([&](Error code, std::string_view what) {
        EXPECT_EQ(code, Error::callbackFailed);
        told.add(std::string{what});
        throw std::runtime_error("error");
    });
    for (auto const* topic : {"a", "b"}) EXPECT_EQ(world.publisher->publish(topic, "x"), Error::ok);
    ASSERT_EQ(world.publisher->connectToHub("publisher", world.hub.url()), Error::ok);
    EXPECT_TRUE(told.waitForOne("ready"));
    EXPECT_TRUE(told.waitForOne("failed"));
}

}  // namespace
}  // namespace gazellemq::client
