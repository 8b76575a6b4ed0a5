#include <gtest/gtest.h>

#include "WatchedHub.hpp"

/// What subscribers see on the wire.
namespace gazellemq::test {
namespace {

using protocol::kDataHeaderBytes;
using protocol::kMaxJoinedFrameBytes;

/// A publisher and a subscriber that is given credit when everything waits for it.
class JoinedFrames : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(reader.greet());
        ASSERT_EQ(reader.subscribe(1, "joined", 0), Error::ok);
        ASSERT_TRUE(writer.greet());
        ASSERT_EQ(writer.open(1, "joined"), Error::ok);
    }

    /// Publishes batches of these sizes (headers included); returns the DELIVER frames.
    std::vector<Transcript::Entry> deliver(std::vector<std::size_t> const& batchBytes) {
        std::vector<std::string> expected;
        for (auto const bytes : batchBytes) {
            expected.push_back(patternText(bytes - kLoneOverhead, expected.size()));
            EXPECT_TRUE(writer.publish(1, {expected.back()}));
        }
        EXPECT_TRUE(writer.waitForConfirm(1, expected.size()));
        EXPECT_TRUE(reader.sendFrame(protocol::Credit{1, RawClient::kUnlimited}));
        EXPECT_TRUE(reader.waitForMessages(expected.size()));
        EXPECT_EQ(reader.received().payloads(), expected);
        EXPECT_EQ(reader.received().problem(), "");
        std::vector<Transcript::Entry> frames;
        for (auto const& entry : reader.received().entries()) {
            if (entry.type == protocol::FrameType::deliver) frames.push_back(entry);
        }
        return frames;
    }

    WatchedHub watched;
    RawClient writer{watched.port()};
    RawClient reader{watched.port()};
};

TEST_F(JoinedFrames, waiting_batches_are_joined_up_to_32_kb_with_headers) {
    auto const frames = deliver(std::vector<std::size_t>(300, 1000));
    EXPECT_EQ(frames.size(), 10u) << "32 of them fit a frame";
    for (auto const& frame : frames) EXPECT_LE(frame.frameBytes, kMaxJoinedFrameBytes);
    EXPECT_EQ(frames.front().batches, 32u);
}

TEST_F(JoinedFrames, two_batches_that_fill_a_frame_exactly_travel_together) {
    auto const frames = deliver({16 * 1024, kMaxJoinedFrameBytes - kDataHeaderBytes - 16 * 1024});
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].frameBytes, kMaxJoinedFrameBytes);
}

TEST_F(JoinedFrames, two_batches_one_byte_too_long_travel_apart) {
    auto const frames = deliver({16 * 1024, kMaxJoinedFrameBytes - kDataHeaderBytes - 16 * 1024 + 1});
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(JoinedFrames, a_larger_batch_travels_alone) {
    auto const frames = deliver({100, 100, 40'000, 100, 100});
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].batches, 2u);
    EXPECT_EQ(frames[1].batches, 1u);
    EXPECT_EQ(frames[1].frameBytes, 40'000 + kDataHeaderBytes);
    EXPECT_EQ(frames[2].batches, 2u);
}

TEST_F(JoinedFrames, many_tiny_batches_keep_the_limit_too) {
    auto const frames = deliver(std::vector<std::size_t>(2000, kLoneOverhead));
    for (auto const& frame : frames) EXPECT_LE(frame.frameBytes, kMaxJoinedFrameBytes);
    EXPECT_LE(frames.size(), 20u);
}

TEST(HubDelivery, two_publishers_and_two_subscribers_see_everything_in_order) {
    WatchedHub watched;
    constexpr std::uint32_t kMessages = 3000;
    std::vector<std::unique_ptr<RawClient>> subscribers;
    std::vector<std::unique_ptr<RawClient>> publishers;
    for (int i = 0; i < 2; ++i) {
        subscribers.push_back(std::make_unique<RawClient>(watched.port()));
        ASSERT_TRUE(subscribers.back()->greet());
        ASSERT_EQ(subscribers.back()->subscribe(1, i == 0 ? "shared.topic" : "shared.*"), Error::ok);
        publishers.push_back(std::make_unique<RawClient>(watched.port()));
        ASSERT_TRUE(publishers.back()->greet());
        ASSERT_EQ(publishers.back()->open(1, "shared.topic"), Error::ok);
    }
    Random random{42};
    for (std::uint32_t sent[2] = {0, 0}; sent[0] < kMessages || sent[1] < kMessages;) {
        auto const who = static_cast<std::uint32_t>(pick(random, 0, 1));
        std::vector<std::string> payloads;
        for (auto n = pick(random, 0, 20); n > 0 && sent[who] < kMessages; --n) {
            payloads.push_back(stamped(who, sent[who]++, pick(random, 16, 300)));
        }
        ASSERT_TRUE(payloads.empty() || publishers[who]->publish(1, payloads));
    }
    for (auto& subscriber : subscribers) {
        ASSERT_TRUE(subscriber->waitForMessages(2 * kMessages));
        EXPECT_EQ(subscriber->received().problem(), "");
        StampCheck check;
        std::uint64_t offset = 0;
        for (auto const& message : subscriber->received().messages()) {
            check.take(message.payload);
            EXPECT_EQ(message.offset, offset++);
            EXPECT_EQ(message.topic, "shared.topic");
        }
        EXPECT_TRUE(check.perfect());
        EXPECT_EQ(check.next[0], kMessages);
        EXPECT_EQ(check.next[1], kMessages);
    }
    EXPECT_EQ(subscribers[0]->received().payloads(), subscribers[1]->received().payloads());
    EXPECT_EQ(watched.hub.server().stats().messagesDropped, 0u);
    publishers.clear();
    subscribers.clear();
    watched.expectUnharmed();
}

TEST(HubDelivery, a_subscriber_is_sent_no_more_than_its_credit_and_one_batch) {
    WatchedHub watched;
    RawClient reader{watched.port()};
    ASSERT_TRUE(reader.greet());
    ASSERT_EQ(reader.subscribe(1, "counted", 1), Error::ok);
    RawClient writer{watched.port()};
    ASSERT_TRUE(writer.greet());
    ASSERT_EQ(writer.open(1, "counted"), Error::ok);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer.publish(1, {patternText(30'000)}));
    ASSERT_TRUE(writer.waitForConfirm(1, 5));
    ASSERT_TRUE(reader.waitForMessages(1));
    for (std::uint64_t n = 1; n < 5; ++n) {
        ASSERT_TRUE(reader.sendFrame(protocol::Ping{n}));
        ASSERT_TRUE(reader.waitFor<protocol::Pong>(n));
        EXPECT_EQ(reader.received().messages().size(), n) << "the rest waits";
        ASSERT_TRUE(reader.sendFrame(protocol::Credit{1, n * (30'000 + kLoneOverhead) + 1}));
        ASSERT_TRUE(reader.waitForMessages(n + 1));
    }
    writer.reset();
    reader.reset();
    watched.expectUnharmed();
}

TEST(HubDelivery, after_unsubscribing_nothing_more_comes) {
    WatchedHub watched;
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.subscribe(1, "ends"), Error::ok);
    ASSERT_EQ(raw.open(1, "ends"), Error::ok);
    ASSERT_TRUE(raw.publish(1, {"before"}));
    ASSERT_TRUE(raw.waitForMessages(1));
    ASSERT_EQ(raw.unsubscribe(1), Error::ok);
    ASSERT_TRUE(raw.publish(1, {"after"}));
    ASSERT_TRUE(raw.waitForConfirm(1, 2));
    EXPECT_EQ(raw.received().messages().size(), 1u);
    EXPECT_EQ(raw.subscribe(1, "ends"), Error::ok) << "the number is free again";
    raw.reset();
    watched.expectUnharmed();
}

}  // namespace
}  // namespace gazellemq::test
