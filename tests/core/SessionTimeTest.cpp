#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "FakeClient.hpp"
#include "Session.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using namespace std::chrono_literals;
using test::FakeClient;
using test::FakeHub;

/// What happens when time passes. The clock is the test's.
class SessionTime : public testing::Test {
  protected:
    static Limits shortLimits() {
        Limits limits;
        limits.heartbeat = 2s;
        limits.handshakeTimeout = 3s;
        limits.stallLimit = 10s;
        limits.windowBytes = 256 * 1024;
        return limits;
    }

    /// Time passes in which the client answers every ping.
    void live(std::initializer_list<FakeClient*> clients, std::chrono::milliseconds time) {
        for (; time > 0ms; time -= 1s) {
            hub.advance(1s);
            for (auto* client : clients) client->send(Pong{});
        }
    }

    FakeHub hub{shortLimits()};
};

TEST_F(SessionTime, a_silent_client_is_pinged_once_and_then_given_up) {
    FakeClient client{hub};
    hub.advance(2750ms);
    EXPECT_TRUE(client.all<Ping>().empty()) << "it would have asked itself meanwhile";
    hub.advance(250ms);
    EXPECT_EQ(client.all<Ping>().size(), 1U);
    hub.advance(2s);
    EXPECT_EQ(client.all<Ping>().size(), 1U) << "one question is enough";
    EXPECT_EQ(client.goodbye(), Error::ok);
    hub.advance(250ms);
    EXPECT_EQ(client.goodbye(), Error::silent) << "after two heartbeats and a second";
    EXPECT_TRUE(client.session().finished());
    EXPECT_EQ(hub.broker().counters().sessionsSilent, 1U);
}

TEST_F(SessionTime, anything_heard_is_a_sign_of_life) {
    FakeClient client{hub};
    auto const ping = test::encoded(Ping{1});
    hub.advance(4s);
    client.write(ByteView{ping}.first(3));  // a part of a frame
    hub.advance(4s);
    client.write(ByteView{ping}.subspan(3));
    hub.advance(4s);
    EXPECT_EQ(client.goodbye(), Error::ok);
    EXPECT_EQ(client.all<Ping>().size(), 3U) << "asked anew after each sign";
}

TEST_F(SessionTime, a_client_that_asks_once_a_heartbeat_is_never_asked) {
    FakeClient client{hub};
    for (std::uint64_t i = 0; i < 10; ++i) {
        hub.advance(2s);
        client.send(Ping{i});
    }
    EXPECT_TRUE(client.all<Ping>().empty());
    EXPECT_EQ(client.all<Pong>().size(), 10U);
}

TEST_F(SessionTime, the_clients_own_heartbeat_holds) {
    FakeClient client{hub, false};
    Hello hello;
    hello.heartbeatMs = 500;
    client.send(hello);
    hub.advance(750ms);
    EXPECT_EQ(client.all<Ping>().size(), 1U);
    hub.advance(1500ms);
    EXPECT_EQ(client.goodbye(), Error::silent);
}

TEST_F(SessionTime, a_heartbeat_that_becomes_shorter_with_a_late_hello_holds_at_once) {
    FakeClient client{hub, false};
    hub.advance(2900ms);
    Hello hello;
    hello.heartbeatMs = 100;
    client.send(hello);
    hub.advance(250ms);
    EXPECT_EQ(client.all<Ping>().size(), 1U);
}

TEST_F(SessionTime, a_client_that_answers_is_asked_again_after_the_next_heartbeat) {
    FakeClient client{hub, false};
    Hello hello;
    hello.heartbeatMs = 250;
    client.send(hello);
    for (std::size_t pings = 1; pings <= 20; ++pings) {
        hub.advance(500ms);
        ASSERT_EQ(client.all<Ping>().size(), pings);
        client.send(Pong{});
    }
}

TEST_F(SessionTime, clients_are_looked_after_whoever_leaves_before) {
    std::vector<std::unique_ptr<FakeClient>> clients;
    for (int i = 0; i < 6; ++i) clients.push_back(std::make_unique<FakeClient>(hub));
    for (std::size_t const leaves : {5U, 0U, 2U}) clients[leaves].reset();
    clients.push_back(std::make_unique<FakeClient>(hub));
    hub.advance(3s);
    for (auto const& client : clients) {
        if (client == nullptr) continue;
        EXPECT_EQ(client->all<Ping>().size(), 1U);
    }
    hub.advance(2250ms);
    EXPECT_EQ(hub.broker().counters().sessionsSilent, 4U) << "and failed each in the same tick";
}

TEST_F(SessionTime, the_handshake_has_a_limit_counted_from_the_open) {
    FakeClient client{hub, false};
    auto const hello = test::encoded(Hello{});
    for (std::size_t i = 0; i < 12; ++i) {  // 3 s of dripping bytes
        client.write(ByteView{hello}.subspan(i, 1));
        hub.advance(250ms);
    }
    EXPECT_EQ(client.goodbye(), Error::ok);
    hub.advance(250ms);
    EXPECT_EQ(client.goodbye(), Error::handshakeTimeout);
    EXPECT_TRUE(client.session().finished());
}

TEST_F(SessionTime, no_handshake_limit_holds_after_hello) {
    FakeClient client{hub};
    live({&client}, 20s);
    EXPECT_EQ(client.goodbye(), Error::ok);
}

TEST_F(SessionTime, a_subscriber_by_name_that_takes_nothing_is_disconnected) {
    FakeClient publisher{hub};
    FakeClient stalled{hub};
    publisher.open(1, "t");
    stalled.subscribe(1, "t", 0);
    live({&publisher, &stalled}, 30s);
    EXPECT_EQ(stalled.goodbye(), Error::ok) << "as long as there is nothing to take";
    publisher.publish(1, "take me");
    live({&publisher, &stalled}, 10s);
    EXPECT_EQ(stalled.goodbye(), Error::ok);
    live({&publisher, &stalled}, 1s);
    EXPECT_EQ(stalled.goodbye(), Error::stalled);
    EXPECT_THAT(std::string{stalled.last<Goodbye>()->reason}, testing::HasSubstr("'t'"));
    EXPECT_EQ(hub.broker().counters().sessionsStalled, 1U);
    EXPECT_EQ(publisher.goodbye(), Error::ok);
}

TEST_F(SessionTime, the_stall_limit_counts_from_the_first_message_that_waits_whenever_it_came) {
    for (auto const offset : {0ms, 100ms, 400ms, 990ms}) {
        FakeClient publisher{hub};
        FakeClient stalled{hub};
        publisher.open(1, "t");
        stalled.subscribe(1, "t", 0);
        live({&publisher, &stalled}, 5s);
        hub.advance(offset);
        publisher.publish(1, "take me");
        live({&publisher, &stalled}, 10s);
        EXPECT_EQ(stalled.goodbye(), Error::ok) << offset.count();
        hub.advance(250ms);
        EXPECT_EQ(stalled.goodbye(), Error::stalled) << offset.count();
    }
}

TEST_F(SessionTime, a_short_stall_limit_is_as_exact) {
    auto limits = shortLimits();
    limits.stallLimit = 500ms;
    FakeHub quick{limits};
    FakeClient publisher{quick};
    FakeClient stalled{quick};
    publisher.open(1, "t");
    stalled.subscribe(1, "t", 0);
    quick.advance(1100ms);
    publisher.publish(1, "take me");
    quick.advance(500ms);
    EXPECT_EQ(stalled.goodbye(), Error::ok);
    quick.advance(250ms);
    EXPECT_EQ(stalled.goodbye(), Error::stalled);
}

TEST_F(SessionTime, a_subscriber_that_takes_little_is_not_stalled) {
    FakeClient publisher{hub};
    FakeClient slow{hub};
    publisher.open(1, "t");
    slow.subscribe(1, "t", 0);
    std::uint64_t credit = 0;
    for (int i = 0; i < 10; ++i) {
        publisher.publishAll(1, std::string(30'000, 'x'));
        live({&publisher, &slow}, 8s);
        slow.send(Credit{1, credit += 30'000});
    }
    EXPECT_EQ(slow.goodbye(), Error::ok);
}

TEST_F(SessionTime, credit_is_progress_although_it_is_not_enough_for_a_delivery) {
    FakeClient publisher{hub};
    FakeClient slow{hub};
    publisher.open(1, "t");
    slow.subscribe(1, "t", 1);
    for (int i = 0; i < 3; ++i) publisher.publish(1, std::string(30'000, 'x'));
    for (std::uint64_t credit = 2; credit < 7; ++credit) {
        live({&publisher, &slow}, 8s);
        slow.send(Credit{1, credit});
    }
    EXPECT_EQ(slow.messages.size(), 1U);
    EXPECT_EQ(slow.goodbye(), Error::ok);
}

TEST_F(SessionTime, a_subscriber_whose_socket_is_full_is_stalled_too) {
    FakeClient publisher{hub};
    FakeClient frozen{hub};
    publisher.open(1, "t");
    frozen.subscribe(1, "t");
    frozen.reads = false;
    // More than one write gathers, so that something waits behind the socket.
    for (int i = 0; i < 12; ++i) publisher.publish(1, std::string(30'000, 'x'));
    live({&publisher, &frozen}, 11s);
    EXPECT_EQ(frozen.session().endCode(), Error::stalled);
    frozen.read();
    EXPECT_EQ(frozen.goodbye(), Error::stalled);
    EXPECT_FALSE(frozen.brokenStream) << "what was begun is finished";
}

TEST_F(SessionTime, a_wildcard_subscriber_is_never_stalled) {
    FakeClient publisher{hub};
    FakeClient wild{hub};
    publisher.open(1, "t");
    wild.subscribe(1, ">", 0);
    publisher.publish(1, "x");
    live({&publisher, &wild}, 60s);
    EXPECT_EQ(wild.goodbye(), Error::ok);
}

TEST_F(SessionTime, publishers_go_on_when_a_stalled_subscriber_is_gone) {
    FakeClient publisher{hub};
    FakeClient stalled{hub};
    FakeClient good{hub};
    publisher.open(1, "t");
    stalled.subscribe(1, "t", 0);
    good.subscribe(1, "t");
    auto const published = publisher.publishAll(1, std::string(30'000, 'x'));
    EXPECT_FALSE(publisher.mayPublish(1));
    EXPECT_EQ(good.messages.size(), published) << "the other reader has all of it";
    live({&publisher, &stalled, &good}, 11s);
    EXPECT_EQ(stalled.goodbye(), Error::stalled);
    EXPECT_TRUE(publisher.mayPublish(1));
    EXPECT_EQ(good.goodbye(), Error::ok);
}

}  // namespace
}  // namespace gazellemq::hub
