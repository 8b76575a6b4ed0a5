#include <gtest/gtest.h>

#include "WatchedHub.hpp"

/// Peers that are clients by their handshake only.
namespace gazellemq::test {
namespace {

using protocol::FrameType;

constexpr std::uint8_t kClientTypes[] = {2, 3, 4, 5, 6, 7, 8, 9, 33, 34, 35, 36, 37};

bool clientSends(int type) { return std::find(std::begin(kClientTypes), std::end(kClientTypes), type) != std::end(kClientTypes); }

TEST(HostilePeer, a_frame_of_a_type_that_no_client_sends_ends_the_connection) {
    WatchedHub watched;
    for (int type = 0; type < 256; ++type) {
        if (clientSends(type)) continue;
        RawClient raw{watched.port()};
        ASSERT_TRUE(raw.greet());
        ASSERT_TRUE(raw.send(makeFrame(static_cast<FrameType>(type), Bytes(64))));
        EXPECT_EQ(raw.waitForGoodbye(), Error::protocolViolation) << "type " << type;
        EXPECT_EQ(raw.received().problem(), "");
    }
    watched.expectUnharmed();
}

TEST(HostilePeer, a_frame_too_short_for_its_type_ends_the_connection) {
    WatchedHub watched;
    for (auto const type : {FrameType::openTopic, FrameType::publish, FrameType::closeTopic, FrameType::subscribe,
                            FrameType::unsubscribe, FrameType::credit, FrameType::ping, FrameType::pong, FrameType::goodbye}) {
        RawClient raw{watched.port()};
        ASSERT_TRUE(raw.greet());
        ASSERT_TRUE(raw.send(makeFrame(type, Bytes(1))));
        EXPECT_EQ(raw.waitForGoodbye(), Error::protocolViolation) << "type " << static_cast<int>(type);
    }
    watched.expectUnharmed();
}

TEST(HostilePeer, a_text_longer_than_its_frame_ends_the_connection) {
    WatchedHub watched;
    auto open = encoded(protocol::OpenTopic{1, 1, "abc"});
    protocol::store(open.data() + protocol::kFrameHeaderBytes + 8, std::uint16_t{4});
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_TRUE(raw.send(open));
    EXPECT_EQ(raw.waitForGoodbye(), Error::protocolViolation);
    raw.reset();
    watched.expectUnharmed();
}

TEST(HostilePeer, a_frame_of_four_gigabytes_is_refused_at_its_header) {
    WatchedHub watched;
    for (auto const type : {FrameType::publish, FrameType::subscribe, FrameType::ping}) {
        RawClient raw{watched.port()};
        ASSERT_TRUE(raw.greet());
        auto header = makeFrame(type, {});
        protocol::store(header.data(), 0xFFFFFFFFu);
        ASSERT_TRUE(raw.send(header));
        EXPECT_EQ(raw.waitForGoodbye(), Error::tooLarge);
    }
    watched.expectUnharmed();
}

TEST(HostilePeer, handles_and_subscriptions_are_not_taken_twice_nor_given_up_twice) {
    WatchedHub watched;
    auto const expectViolation = [&](std::vector<Bytes> const& frames) {
        RawClient raw{watched.port()};
        ASSERT_TRUE(raw.greet());
        for (auto const& frame : frames) raw.send(frame);
        EXPECT_EQ(raw.waitForGoodbye(), Error::protocolViolation);
        EXPECT_EQ(raw.received().problem(), "");
    };
    expectViolation({encoded(protocol::OpenTopic{1, 1, "a"}), encoded(protocol::OpenTopic{2, 1, "b"})});
    expectViolation({encoded(protocol::Subscribe{1, 1, 0, "a"}), encoded(protocol::Subscribe{2, 1, 0, "b"})});
    expectViolation({encoded(protocol::CloseTopic{1})});
    expectViolation({encoded(protocol::DrainAck{})});

    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.unsubscribe(1), Error::notSubscribed);
    ASSERT_TRUE(raw.sendFrame(protocol::Credit{1, 1})) << "may cross an UNSUBSCRIBE";
    EXPECT_EQ(raw.subscribe(1, "a"), Error::ok);
    raw.reset();
    watched.expectUnharmed();
}

TEST(HostilePeer, garbage_after_the_handshake_hurts_only_its_sender) {
    WatchedHub watched;
    Random random{0xB01};
    for (int round = 0; round < 300; ++round) {
        RawClient raw{watched.port()};
        raw.send(RawClient::greeting("garbage"));
        Bytes garbage(pick(random, 1, 6000));
        for (auto& byte : garbage) byte = static_cast<std::byte>(random());
        raw.send(garbage);
        raw.finishSending();
        raw.waitForEnd();
        EXPECT_EQ(raw.received().problem(), "") << "round " << round;
    }
    watched.expectUnharmed();
}

/// Frames that are right in their outer form, with bodies that are right, cut, lengthened or random.
Bytes randomFrames(Random& random) {
    Bytes bytes;
    auto const small = [&] { return static_cast<std::uint32_t>(pick(random, 0, 3)); };
    std::vector<std::string> const names{"a", "a.b", "a.*", ">", "*", "..", "", "_x", std::string(300, 'n'), "\xFF"};
    auto const name = [&] { return std::string_view{names[pick(random, 0, names.size() - 1)]}; };
    for (auto left = pick(random, 1, 40); left > 0; --left) {
        Bytes frame;
        switch (pick(random, 0, 11)) {
            case 0: frame = encoded(protocol::OpenTopic{small(), small(), name()}); break;
            case 1: frame = encoded(protocol::CloseTopic{small()}); break;
            case 2: frame = encoded(protocol::Subscribe{small(), small(), random() >> pick(random, 0, 63), name()}); break;
            case 3: frame = encoded(protocol::Unsubscribe{small(), small()}); break;
            case 4: frame = encoded(protocol::Credit{small(), random()}); break;
            case 5: frame = encoded(protocol::Ping{random()}); break;
            case 6: frame = encoded(protocol::Flush{}); break;
            case 7: frame = encoded(protocol::Drain{}); break;
            case 8: frame = encoded(protocol::Goodbye{static_cast<Error>(small()), "bye"}); break;
            default: frame = publishFrame(small(), makeBatch({std::string(pick(random, 0, 3000), 'p'), ""}, random())); break;
        }
        if (pick(random, 0, 9) == 0) frame[pick(random, 4, frame.size() - 1)] = static_cast<std::byte>(random());
        append(bytes, frame);
    }
    return bytes;
}

TEST(HostilePeer, almost_right_frames_hurt_only_their_sender) {
    WatchedHub watched;
    Random random{1880};
    for (int round = 0; round < 500; ++round) {
        RawClient raw{watched.port()};
        raw.send(RawClient::greeting("almost"));
        raw.send(randomFrames(random));
        if (pick(random, 0, 4) == 0) {
            raw.reset();
            continue;
        }
        raw.finishSending();
        raw.waitForEnd();
        EXPECT_EQ(raw.received().problem(), "") << "round " << round;
    }
    watched.expectUnharmed();
    EXPECT_TRUE(eventually([&] { return watched.hub.server().stats().bufferBytes < 2'000'000; }));
}

/// Sends `frame` over and over without reading. True if the hub ends that.
bool isCutWhileFlooding(RawClient& raw, Bytes const& frame) {
    Bytes flood;
    while (flood.size() < 64 * 1024) append(flood, frame);
    auto const deadline = std::chrono::steady_clock::now() + kPatience;
    while (raw.send(flood)) {
        if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
}

TEST(HostilePeer, a_flood_of_requests_without_reading_the_replies_is_cut) {
    hub::Limits limits;
    limits.maxControlBytes = 64 * 1024;
    WatchedHub watched{limits};
    auto const refused = encoded(protocol::Subscribe{1, 1, 0, "not..valid"});
    auto const ping = encoded(protocol::Ping{1});
    auto toggle = encoded(protocol::Subscribe{1, 1, 0, "flood"});
    append(toggle, encoded(protocol::Unsubscribe{2, 1}));
    auto reopen = encoded(protocol::OpenTopic{1, 1, "flood"});
    append(reopen, encoded(protocol::CloseTopic{1}));
    for (auto const& frame : {refused, ping, toggle, reopen}) {
        RawClient raw{watched.port(), 4096};
        ASSERT_TRUE(raw.greet());
        EXPECT_TRUE(isCutWhileFlooding(raw, frame));
        EXPECT_EQ(watched.canary.trouble(), "");
    }
    watched.expectUnharmed();
}

TEST(HostilePeer, a_flood_of_subscriptions_stops_at_the_limit_and_leaves_nothing) {
    hub::Limits limits;
    limits.maxSubscriptions = 1000;
    WatchedHub watched{limits};
    auto const topics = watched.hub.server().stats().topics;
    {
        RawClient raw{watched.port()};
        ASSERT_TRUE(raw.greet());
        Bytes flood;
        for (std::uint32_t i = 1; i <= 5000; ++i) append(flood, encoded(protocol::Subscribe{i, i, 0, "flood." + std::to_string(i)}));
        ASSERT_TRUE(raw.send(flood));
        ASSERT_TRUE(raw.waitFor<protocol::Reply>(5000));
        EXPECT_EQ(watched.hub.server().stats().subscriptions, 1001u);
        EXPECT_EQ(watched.hub.server().stats().topics, topics + 1000);
    }
    watched.expectUnharmed();
}

TEST(HostilePeer, peers_that_reset_during_delivery_hurt_nobody) {
    WatchedHub watched;
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", watched.hub.url());
    auto const payload = patternText(32'000);
    for (int i = 0; i < 200; ++i) {
        RawClient raw{watched.port(), 4096};
        ASSERT_TRUE(raw.greet());
        ASSERT_EQ(raw.subscribe(1, i % 2 == 0 ? "stream" : "*"), Error::ok);
        for (int n = 0; n < 6; ++n) ASSERT_EQ(publisher.publish("stream", payload), Error::ok);
        ASSERT_TRUE(raw.readSome());
        EXPECT_EQ(i % 20 == 0 ? watched.canary.trouble() : "", "");
        raw.reset();
    }
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.close(kPatience), 0u);
    watched.expectUnharmed();
    EXPECT_TRUE(eventually([&] { return watched.hub.server().stats().bufferBytes < 1'000'000; }))
        << watched.hub.server().stats().bufferBytes << " bytes are still held";
}

TEST(HostilePeer, a_name_cannot_forge_a_line_of_the_log) {
    WatchedHub watched;
    {
        RawClient raw{watched.port()};
        ASSERT_TRUE(raw.greet("evil\n2026-01-01 error the disk is on fire\x1b[2J"));
        raw.sendFrame(protocol::Goodbye{Error::stalled, std::string(60'000, 'r') + "\r\nforged"});
        raw.waitForEnd();
    }
    watched.expectUnharmed();
    ASSERT_TRUE(watched.hub.log.waitUntil([](auto const& lines) {
        return std::any_of(lines.begin(), lines.end(), [](auto const& line) { return line.find("evil") != std::string::npos; });
    }));
    for (auto const& line : watched.hub.log.all()) {
        EXPECT_TRUE(std::none_of(line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; })) << line;
        EXPECT_LT(line.size(), 2000u);
    }
}

}  // namespace
}  // namespace gazellemq::test
