#include <gtest/gtest.h>

#include "Received.hpp"
#include "WatchedHub.hpp"

/// B01: empty payloads, and streams cut at every place.
namespace gazellemq::test {
namespace {

hub::Limits patientHub() {
    hub::Limits limits = silentHub();
    limits.stallLimit = 60s;  // the raw subscriber reads when everything was sent
    return limits;
}

/// One raw connection that publishes and subscribes to the same topic, and an SDK subscriber of it.
class Framing : public testing::Test {
  protected:
    void expectArrives(RawClient& raw, std::vector<std::string> const& expected) {
        ASSERT_TRUE(raw.waitForMessages(expected.size())) << raw.received().messages().size() << " messages";
        EXPECT_EQ(raw.received().payloads(), expected);
        ASSERT_TRUE(sdk.messages.waitFor(expected.size())) << sdk.messages.size() << " messages";
        EXPECT_EQ(sdk.payloads(), expected);
        EXPECT_EQ(raw.received().problem(), "");
        EXPECT_EQ(raw.received().damaged(), 0u);
    }

    void connectSdk() {
        sdk.client.connectToHub("sdk", watched.hub.url());
        ASSERT_EQ(sdk.subscribe("framing"), Error::ok);
    }

    /// Handshake, SUBSCRIBE, OPEN_TOPIC and a PUBLISH for each payload.
    static Bytes stream(RawClient& raw, std::vector<std::string> const& payloads) {
        auto bytes = RawClient::greeting("raw");
        append(bytes, encoded(protocol::Subscribe{1, 1, RawClient::kUnlimited, "framing"}));
        append(bytes, encoded(protocol::OpenTopic{2, 1, "framing"}));
        for (auto const& payload : payloads) append(bytes, raw.publishBytes(1, {payload}));
        return bytes;
    }

    WatchedHub watched{patientHub()};
    TestSubscriber sdk;
};

/// 200 payloads: the sizes around every limit, the others small.
std::vector<std::string> payloadsOfAllSizes() {
    std::vector<std::size_t> sizes{0, 1, 2, 127, 128, 8191, 8192, 8193, 32767, 32768, 32769, 65535, 65536};
    Random random{1237};
    while (sizes.size() < 200) sizes.push_back(pick(random, 0, 200));
    std::vector<std::string> payloads;
    for (auto const size : sizes) payloads.push_back(patternText(size, payloads.size()));
    return payloads;
}

TEST_F(Framing, a_stream_of_single_bytes_arrives_whole) {
    connectSdk();
    RawClient raw{watched.port()};
    auto const payloads = payloadsOfAllSizes();
    ASSERT_TRUE(raw.sendByteByByte(stream(raw, payloads)));
    expectArrives(raw, payloads);
    EXPECT_EQ(watched.canary.trouble(), "");
}

TEST_F(Framing, a_stream_in_one_send_arrives_whole) {
    connectSdk();
    RawClient raw{watched.port()};
    auto const payloads = payloadsOfAllSizes();
    ASSERT_TRUE(raw.send(stream(raw, payloads)));
    expectArrives(raw, payloads);
    EXPECT_EQ(watched.canary.trouble(), "");
}

TEST_F(Framing, a_stream_in_random_pieces_arrives_whole) {
    connectSdk();
    Random random{1243};
    std::vector<std::string> expected;
    for (int round = 0; round < 10; ++round) {
        RawClient raw{watched.port()};
        auto const payloads = payloadsOfAllSizes();
        auto const bytes = stream(raw, payloads);
        for (protocol::ByteView rest = bytes; !rest.empty();) {
            auto const n = std::min(rest.size(), pick(random, 1, round % 2 == 0 ? 100'000 : 4000));
            ASSERT_TRUE(raw.send(rest.first(n)));
            rest = rest.subspan(n);
        }
        ASSERT_TRUE(raw.waitForMessages(payloads.size()));
        EXPECT_EQ(raw.received().payloads(), payloads);
        EXPECT_EQ(raw.received().problem(), "");
        expected.insert(expected.end(), payloads.begin(), payloads.end());
    }
    ASSERT_TRUE(sdk.messages.waitFor(expected.size()));
    EXPECT_EQ(sdk.payloads(), expected);
}

TEST_F(Framing, a_publish_cut_in_two_anywhere_arrives_without_further_traffic) {
    connectSdk();
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.subscribe(1, "framing"), Error::ok);
    ASSERT_EQ(raw.open(1, "framing"), Error::ok);
    std::vector<std::string> expected;
    for (std::string const payload : {"", "x"}) {
        auto const size = raw.publishBytes(1, {payload}).size();
        for (std::size_t cut = 1; cut < size; ++cut) {
            auto const bytes = raw.publishBytes(1, {payload});
            ASSERT_TRUE(raw.send(protocol::ByteView{bytes}.first(cut)));
            watched.settle(raw);
            ASSERT_EQ(raw.received().messages().size(), expected.size());
            ASSERT_TRUE(raw.send(protocol::ByteView{bytes}.subspan(cut)));
            expected.push_back(payload);
            expectArrives(raw, expected);
            if (HasFailure()) FAIL() << "cut at " << cut;
        }
    }
    EXPECT_EQ(watched.canary.trouble(), "");
}

TEST_F(Framing, a_connections_first_bytes_cut_in_two_anywhere_work_without_further_traffic) {
    connectSdk();
    std::size_t sent = 0;
    for (std::string const payload : {"", "x"}) {
        for (std::size_t cut = 1;; ++cut) {
            RawClient raw{watched.port()};
            auto const bytes = stream(raw, {payload});
            if (cut == bytes.size()) break;
            ASSERT_TRUE(raw.send(protocol::ByteView{bytes}.first(cut)));
            watched.settle(raw);
            ASSERT_TRUE(raw.send(protocol::ByteView{bytes}.subspan(cut)));
            ASSERT_TRUE(raw.waitForMessages(1)) << "cut at " << cut;
            EXPECT_EQ(raw.received().payloads(), std::vector{payload});
            EXPECT_EQ(raw.received().problem(), "");
            ASSERT_TRUE(sdk.messages.waitFor(++sent)) << "cut at " << cut;
        }
    }
    for (std::size_t i = 0; i < sent; ++i) EXPECT_EQ(sdk.payloads()[i], i < sent / 2 ? "" : "x");
    sdk.client.close();
    watched.expectUnharmed();
}

}  // namespace
}  // namespace gazellemq::test
