#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "HubProcess.hpp"
#include "RawClient.hpp"
#include "Received.hpp"
#include "Stamp.hpp"
#include "TestHub.hpp"

/// SIGTERM and SIGINT: the first one drains the hub, the second stops it at once.
namespace gazellemq::test {
namespace {

class HubSignal : public testing::TestWithParam<int> {};

TEST_P(HubSignal, ends_an_idle_hub) {
    HubProcess hub;
    hub.signal(GetParam());
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
}

TEST_P(HubSignal, tells_clients_that_are_idle) {
    HubProcess hub;
    RawClient raw{hub.port()};
    ASSERT_TRUE(raw.greet());
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", hub.url());
    ASSERT_EQ(subscriber.subscribe("idle"), Error::ok);
    hub.signal(GetParam());
    ASSERT_TRUE(raw.waitFor<protocol::Drain>());
    ASSERT_TRUE(raw.sendFrame(protocol::DrainAck{}));
    EXPECT_EQ(raw.waitForGoodbye(), Error::goingAway);
    raw.reset();
    ASSERT_TRUE(subscriber.stateErrors.waitFor(1));
    EXPECT_EQ(subscriber.stateErrors.all().front(), Error::goingAway);
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
}

TEST_P(HubSignal, under_load_everything_confirmed_is_delivered_first) {
    HubProcess hub;
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", hub.url());
    ASSERT_EQ(subscriber.subscribe("load"), Error::ok);
    client::PublisherOptions options;
    options.whenFull = client::WhenFull::fail;
    Gate gone;
    client::PublisherClient publisher;
    publisher.onStateChange([&](client::StateChange const& change) {
        if (change.state == client::State::disconnected) gone.open();
    });
    publisher.connectToHub("publisher", hub.url(), options);
    std::thread load{[&] {
        for (std::uint64_t i = 0; !gone.isOpen();) {
            if (publisher.publish("load", stamped(0, i, 86)) == Error::ok) ++i;
        }
    }};
    EXPECT_TRUE(subscriber.messages.waitFor(10'000));
    hub.signal(GetParam());
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
    EXPECT_TRUE(gone.wait());
    load.join();
    ASSERT_TRUE(subscriber.stateErrors.waitFor(1));
    EXPECT_EQ(subscriber.stateErrors.all().front(), Error::goingAway);

    auto const stats = publisher.stats();
    EXPECT_EQ(stats.lost, 0u) << "what was sent before the DRAIN_ACK is confirmed";
    ASSERT_TRUE(subscriber.messages.waitFor(stats.confirmed));
    StampCheck check;
    for (auto const& payload : subscriber.payloads()) check.take(payload);
    EXPECT_TRUE(check.perfect());
    EXPECT_EQ(check.count, stats.confirmed);
    publisher.close(0ms);
}

TEST_P(HubSignal, ends_a_hub_whose_client_does_not_read) {
    HubProcess hub{{"--drain-limit", "500ms"}};
    RawClient frozen{hub.port(), 4096};
    ASSERT_TRUE(frozen.greet());
    ASSERT_EQ(frozen.subscribe(1, "frozen.*"), Error::ok);
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", hub.url());
    for (int i = 0; i < 400; ++i) ASSERT_EQ(publisher.publish("frozen.a", std::string(30'000, 'x')), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    hub.signal(GetParam());
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
    EXPECT_EQ(publisher.stats().lost, 0u);
}

TEST_P(HubSignal, ends_a_hub_whose_client_is_stopped) {
    HubProcess hub{{"--drain-limit", "500ms"}};
    ChildProcess client{{.words = {GAZELLE_CRASH_PROGRAM, "subscribe", hub.url(), "stopped"}}};
    ASSERT_EQ(client.nextLine(), "subscribed");
    client.freeze();
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", hub.url());
    for (int i = 0; i < 50; ++i) ASSERT_EQ(publisher.publish("stopped", std::string(30'000, 'x')), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    hub.signal(GetParam());
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
}

TEST_P(HubSignal, given_twice_stops_at_once) {
    HubProcess hub{{"--drain-limit", "1h"}};
    RawClient raw{hub.port()};
    ASSERT_TRUE(raw.greet());
    hub.signal(GetParam());
    ASSERT_TRUE(raw.waitFor<protocol::Drain>());
    EXPECT_TRUE(hub.process().running()) << "it waits for the DRAIN_ACK";
    hub.signal(GetParam());
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
    EXPECT_EQ(raw.waitForGoodbye(), std::nullopt);
}

TEST_P(HubSignal, given_many_times_at_any_moment_still_ends_it_cleanly) {
    for (int round = 0; round < 30; ++round) {
        HubProcess hub;
        while (hub.process().running()) hub.signal(GetParam());
        ASSERT_EQ(hub.process().waitForEnd(), "exit 0") << hub.process().errors();
    }
}

TEST_P(HubSignal, before_it_serves_ends_it_too) {
    for (int round = 0; round < 20; ++round) {
        ChildProcess hub{HubProcess::command({"--listen", "tcp://127.0.0.1:0"})};
        std::this_thread::sleep_for(std::chrono::microseconds{round * 500});  // a moment of the start, another one each time
        hub.signal(GetParam());
        auto const end = hub.waitForEnd();
        EXPECT_TRUE(end == "exit 0" || end == "signal " + std::to_string(GetParam())) << end;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, HubSignal, testing::Values(SIGTERM, SIGINT),
                         [](auto const& parameter) { return parameter.param == SIGTERM ? "SIGTERM" : "SIGINT"; });

/// B14 (b).
TEST(HubStop, right_after_the_last_confirm_delivers_everything_to_ten_subscribers) {
    constexpr std::size_t kMessages = 50'000;
    constexpr std::size_t kSubscribers = 10;
    HubProcess hub;
    struct Reader {
        StampCheck check;
        Gate done;
        Gate goingAway;
        client::SubscriberClient client;
    };
    std::vector<std::unique_ptr<Reader>> readers;
    for (std::size_t i = 0; i < kSubscribers; ++i) {
        auto& reader = *readers.emplace_back(std::make_unique<Reader>());
        reader.client.onStateChange([&reader](client::StateChange const& change) {
            if (change.error == Error::goingAway) reader.goingAway.open();
        });
        reader.client.connectToHub("reader", hub.url());
        reader.client.subscribe("stop", [&reader](client::Message const& message) {
            reader.check.take(message.payload);
            if (reader.check.count == kMessages) reader.done.open();
        });
        ASSERT_EQ(reader.client.waitUntilSubscribed(kPatience), Error::ok);
    }
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", hub.url());
    for (std::size_t i = 0; i < kMessages; ++i) ASSERT_EQ(publisher.publish("stop", stamped(0, i, 86)), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    hub.signal(SIGTERM);
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
    for (auto const& reader : readers) {
        EXPECT_TRUE(reader->done.wait());
        EXPECT_TRUE(reader->goingAway.wait());
        reader->client.close();
        EXPECT_TRUE(reader->check.perfect());
        EXPECT_EQ(reader->check.count, kMessages);
    }
}

}  // namespace
}  // namespace gazellemq::test
