#include <gtest/gtest.h>

#include "WatchedHub.hpp"

namespace gazellemq::test {
namespace {

hub::Limits hurriedHub() {
    hub::Limits limits;
    limits.handshakeTimeout = 300ms;
    return limits;
}

/// What a peer that is no client of this protocol sends first. Nothing is answered, the connection just ends.
void expectHungUpOn(Bytes const& bytes) {
    WatchedHub watched;
    RawClient raw{watched.port()};
    raw.send(bytes);
    EXPECT_EQ(raw.waitForEnd(), RawClient::End::closed);
    EXPECT_EQ(raw.receivedBytes(), 0u);
    raw.reset();
    watched.expectUnharmed();
}

/// The handshake ends with a GOODBYE of this code, and nothing else.
void expectRefused(WatchedHub& watched, Bytes const& bytes, Error code) {
    RawClient raw{watched.port()};
    raw.send(bytes);
    EXPECT_EQ(raw.waitForGoodbye(), code);
    EXPECT_EQ(raw.received().entries().size(), 1u);
    EXPECT_EQ(raw.received().problem(), "");
    EXPECT_FALSE(raw.received().last<protocol::Goodbye>()->reason.empty());
}

TEST(Handshake, a_wrong_magic_is_hung_up_on) {
    auto bytes = RawClient::greeting("raw");
    bytes[3] = std::byte{'X'};
    expectHungUpOn(bytes);
}

TEST(Handshake, a_wrong_first_byte_alone_is_hung_up_on) { expectHungUpOn(toBytes("x")); }

TEST(Handshake, an_http_request_is_hung_up_on) {
    expectHungUpOn(toBytes("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:5875\r\nAccept: */*\r\n\r\n"));
}

TEST(Handshake, a_tls_client_hello_is_hung_up_on) {
    auto hello = toBytes(std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11});
    append(hello, toBytes(patternText(506)));
    expectHungUpOn(hello);
}

TEST(Handshake, another_version_is_told_which_one_is_spoken) {
    WatchedHub watched;
    for (auto const version : {0, 2, 255}) {
        auto bytes = RawClient::greeting("raw");
        bytes[6] = static_cast<std::byte>(version);
        expectRefused(watched, bytes, Error::versionUnsupported);
    }
    watched.expectUnharmed();
}

TEST(Handshake, nothing_but_hello_may_come_first) {
    WatchedHub watched;
    for (int type = 0; type < 256; ++type) {
        if (type == static_cast<int>(protocol::FrameType::hello)) continue;
        auto bytes = RawClient::magic();
        append(bytes, makeFrame(static_cast<protocol::FrameType>(type), Bytes(32)));
        expectRefused(watched, bytes, Error::protocolViolation);
        if (testing::Test::HasFailure()) FAIL() << "type " << type;
    }
    watched.expectUnharmed();
}

TEST(Handshake, a_hello_that_is_too_short_is_refused) {
    WatchedHub watched;
    auto const hello = encoded(protocol::Hello{});
    for (std::size_t size = 0; size + protocol::kFrameHeaderBytes < hello.size(); ++size) {
        auto bytes = RawClient::magic();
        append(bytes, makeFrame(protocol::FrameType::hello, protocol::ByteView{hello}.subspan(protocol::kFrameHeaderBytes, size)));
        expectRefused(watched, bytes, Error::protocolViolation);
    }
    watched.expectUnharmed();
}

TEST(Handshake, a_first_frame_that_is_too_large_is_refused) {
    WatchedHub watched;
    for (std::uint32_t const size : {8192u, 0x7FFFFFFFu, 0xFFFFFFF8u, 0xFFFFFFFFu}) {
        auto bytes = RawClient::magic();
        auto frame = makeFrame(protocol::FrameType::hello, Bytes(16));
        protocol::store(frame.data(), size);
        append(bytes, frame);
        expectRefused(watched, bytes, Error::tooLarge);
    }
    watched.expectUnharmed();
}

TEST(Handshake, a_second_hello_is_refused) {
    WatchedHub watched;
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    raw.sendFrame(protocol::Hello{});
    EXPECT_EQ(raw.waitForGoodbye(), Error::protocolViolation);
    watched.expectUnharmed();
}

TEST(Handshake, a_peer_that_says_nothing_is_cut_at_the_handshake_timeout) {
    WatchedHub watched{hurriedHub()};
    RawClient silent{watched.port()};
    EXPECT_EQ(silent.waitForGoodbye(), Error::handshakeTimeout);
    RawClient onlyMagic{watched.port()};
    onlyMagic.send(RawClient::magic());
    EXPECT_EQ(onlyMagic.waitForGoodbye(), Error::handshakeTimeout);
    watched.expectUnharmed();
}

TEST(Handshake, a_peer_that_drips_is_cut_at_the_handshake_timeout_too) {
    WatchedHub watched{hurriedHub()};
    RawClient raw{watched.port()};
    auto const bytes = RawClient::greeting(std::string(3000, 'n'));
    std::size_t sent = 0;
    while (sent < bytes.size() && !raw.readable(5ms)) raw.send(protocol::ByteView{bytes}.subspan(sent++, 1));
    EXPECT_LT(sent, bytes.size());
    EXPECT_EQ(raw.waitForGoodbye(), Error::handshakeTimeout);
    raw.reset();
    watched.expectUnharmed();
}

TEST(Handshake, the_timeout_is_counted_from_the_accept_also_right_after_the_hubs_start) {
    TestHub hub;  // handshakeTimeout: 5 s
    RawClient raw{hub.port()};
    // Longer than the hub's first tick.
    EXPECT_FALSE(raw.readable(600ms)) << "cut long before the timeout";
    EXPECT_TRUE(raw.greet());
}

TEST(Handshake, a_client_that_is_done_in_time_is_left_alone) {
    WatchedHub watched{hurriedHub()};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    EXPECT_FALSE(raw.readable(800ms)) << "the handshake timeout still counts";
    EXPECT_EQ(raw.open(1, "a"), Error::ok);
}

TEST(Handshake, peers_that_have_sent_part_of_the_magic_hold_little_memory) {
    WatchedHub watched;
    auto const before = watched.hub.server().stats().bufferBytes;
    std::vector<std::unique_ptr<RawClient>> raws;
    for (int i = 0; i < 50; ++i) {
        raws.push_back(std::make_unique<RawClient>(watched.port()));
        raws.back()->send(protocol::ByteView{RawClient::magic()}.first(5));
        watched.settle(*raws.back());
    }
    EXPECT_LT(watched.hub.server().stats().bufferBytes, before + 50 * 8 * 1024);
    raws.clear();
    watched.expectUnharmed();
}

TEST(Handshake, the_welcome_tells_the_hubs_limits) {
    hub::Limits limits;
    limits.maxSubscriptions = 17;
    limits.maxOpenTopics = 18;
    limits.maxConnections = 19;
    limits.maxConnectionsPerAddress = 20;
    limits.maxTopics = 21;
    limits.maxTopicBytes = 22;
    limits.maxUnconfirmedBytes = std::size_t{5} << 30;
    limits.maxPayloadBytes = 2 * 1024 * 1024;
    limits.heartbeat = 1234ms;
    WatchedHub watched{limits};
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet("raw", 100'000));
    auto const welcome = raw.received().last<protocol::Welcome>().value();
    EXPECT_EQ(welcome.maxSubscriptions, 17u);
    EXPECT_EQ(welcome.maxOpenTopics, 18u);
    EXPECT_EQ(welcome.maxPayloadBytes, limits.maxPayloadBytes);
    EXPECT_EQ(welcome.maxFrameBytes, limits.maxFrameBytes());
    EXPECT_EQ(welcome.maxTopicBytes, 22u);
    EXPECT_EQ(welcome.maxConnections, 19u);
    EXPECT_EQ(welcome.maxConnectionsPerAddress, 20u);
    EXPECT_EQ(welcome.maxTopics, 21u);
    EXPECT_EQ(welcome.maxUnconfirmedBytes, std::uint64_t{5} << 30);
    EXPECT_EQ(welcome.heartbeatMs, 1234u) << "a client may ask for less, not for more";
    EXPECT_TRUE(welcome.serverName.starts_with("gazelle-hub "));
    RawClient hasty{watched.port()};
    ASSERT_TRUE(hasty.greet("hasty", 500));
    EXPECT_EQ(hasty.received().last<protocol::Welcome>()->heartbeatMs, 500u);
}

}  // namespace
}  // namespace gazellemq::test
