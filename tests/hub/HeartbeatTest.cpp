#include <gtest/gtest.h>

#include "WatchedHub.hpp"

namespace gazellemq::test {
namespace {

hub::Limits livelyHub() {
    hub::Limits limits;
    limits.heartbeat = 100ms;  // cut after 1.2 s of silence
    return limits;
}

TEST(Heartbeat, a_silent_peer_is_asked_and_then_cut) {
    WatchedHub watched{livelyHub()};
    RawClient raw{watched.port()};
    raw.answersPings = false;
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.waitForGoodbye(), Error::silent);
    EXPECT_EQ(raw.received().all<protocol::Ping>().size(), 1u) << "asked once, not at every tick";
    EXPECT_EQ(raw.received().problem(), "");
    raw.reset();
    watched.expectUnharmed();
}

TEST(Heartbeat, a_peer_frozen_in_the_middle_of_a_frame_is_cut_too) {
    WatchedHub watched{livelyHub()};
    RawClient raw{watched.port()};
    raw.answersPings = false;
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.open(1, "half"), Error::ok);
    auto const frame = raw.publishBytes(1, {patternText(1000)});
    ASSERT_TRUE(raw.send(protocol::ByteView{frame}.first(500)));
    EXPECT_EQ(raw.waitForGoodbye(), Error::silent);
    raw.reset();
    watched.expectUnharmed();
    EXPECT_EQ(watched.hub.server().stats().messagesIn, 3u) << "the canary's";
}

TEST(Heartbeat, a_peer_that_answers_stays) {
    WatchedHub watched{livelyHub()};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_TRUE(raw.waitFor<protocol::Ping>(8)) << "cut after " << raw.received().all<protocol::Ping>().size();
    EXPECT_EQ(raw.open(1, "alive"), Error::ok);
    EXPECT_EQ(raw.received().last<protocol::Goodbye>(), std::nullopt);
    raw.reset();
    watched.expectUnharmed();
}

TEST(Heartbeat, a_peer_that_asks_for_a_shorter_interval_gets_it) {
    WatchedHub watched;  // heartbeat: 5 s
    RawClient raw{watched.port()};
    raw.answersPings = false;
    ASSERT_TRUE(raw.greet("hasty", 100));
    EXPECT_EQ(raw.waitForGoodbye(), Error::silent);
    raw.reset();
    watched.expectUnharmed();
}

TEST(Heartbeat, the_peers_ping_is_answered_with_its_token) {
    WatchedHub watched;
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_TRUE(raw.sendFrame(protocol::Ping{0x0123456789ABCDEF}));
    ASSERT_TRUE(raw.waitFor<protocol::Pong>());
    EXPECT_EQ(raw.received().last<protocol::Pong>()->token, 0x0123456789ABCDEFu);
}

/// The peer's socket is full of messages it does not read; signs of life travel the other way.
TEST(Heartbeat, a_peer_that_sends_signs_of_life_but_reads_nothing_is_not_cut_as_silent) {
    WatchedHub watched{livelyHub()};
    RawClient raw{watched.port(), 4096};
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.subscribe(1, "stream.*"), Error::ok);
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", watched.hub.url());
    for (std::uint64_t i = 0; i < 30; ++i) {
        for (int n = 0; n < 10; ++n) ASSERT_EQ(publisher.publish("stream.a", patternText(30'000)), Error::ok);
        ASSERT_TRUE(raw.sendFrame(protocol::Pong{i}));
        ASSERT_EQ(publisher.flush(kPatience), Error::ok);
        std::this_thread::sleep_for(50ms);  // the rhythm of the peer, longer in all than the hub waits for a silent one
    }
    EXPECT_EQ(watched.hub.server().stats().connections, 4u);
    EXPECT_EQ(watched.canary.trouble(), "");
}

}  // namespace
}  // namespace gazellemq::test
