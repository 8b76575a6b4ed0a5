#include <gtest/gtest.h>

#include "Received.hpp"
#include "WatchedHub.hpp"

/// PUBLISH frames that no correct client sends.
namespace gazellemq::test {
namespace {

using protocol::BatchHeader;

class HostilePublish : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(raw.greet());
        ASSERT_EQ(raw.open(1, "target"), Error::ok);
        ASSERT_TRUE(reader.greet());
        ASSERT_EQ(reader.subscribe(1, "target"), Error::ok);
    }

    /// The sender is told what it did wrong, and nobody gets anything.
    void expectViolation(Bytes const& bytes) {
        raw.send(bytes);
        EXPECT_EQ(raw.waitForGoodbye(), Error::protocolViolation);
        EXPECT_EQ(raw.received().problem(), "");
        auto const fresh = freshPublisher();
        ASSERT_TRUE(fresh->publish(1, {"after"}));
        ASSERT_TRUE(reader.waitForMessages(1));
        EXPECT_EQ(reader.received().payloads(), std::vector<std::string>{"after"});
        EXPECT_EQ(reader.received().problem(), "");
        raw.reset();
        reader.reset();
        fresh->reset();
        watched.expectUnharmed();
    }

    std::unique_ptr<RawClient> freshPublisher() {
        auto fresh = std::make_unique<RawClient>(watched.port());
        EXPECT_TRUE(fresh->greet());
        EXPECT_EQ(fresh->open(1, "target"), Error::ok);
        return fresh;
    }

    /// A batch of two messages with one header field overwritten.
    template <typename T>
    static Bytes batchWith(std::size_t at, T value) {
        auto batch = makeBatch({"one", "two"});
        protocol::store(batch.data() + at, value);
        return batch;
    }

    WatchedHub watched;
    RawClient raw{watched.port()};
    RawClient reader{watched.port()};
};

constexpr std::size_t kBodyBytesAt = 28;
constexpr std::size_t kCountAt = 32;
constexpr std::size_t kFlagsAt = 36;
constexpr std::uint32_t kBody = 14;  // of makeBatch({"one", "two"})

TEST_F(HostilePublish, a_handle_that_was_never_opened_is_refused) { expectViolation(publishFrame(2, makeBatch({"x"}))); }

TEST_F(HostilePublish, a_handle_that_was_closed_is_refused) {
    auto bytes = encoded(protocol::CloseTopic{1});
    append(bytes, publishFrame(1, makeBatch({"x"})));
    expectViolation(bytes);
}

TEST_F(HostilePublish, a_batch_cut_short_is_refused) {
    auto const batch = makeBatch({"one", "two"});
    expectViolation(publishFrame(1, protocol::ByteView{batch}.first(batch.size() - 1)));
}

TEST_F(HostilePublish, a_batch_header_cut_short_is_refused) {
    expectViolation(publishFrame(1, protocol::ByteView{makeBatch({"x"})}.first(BatchHeader::kBytes - 1)));
}

TEST_F(HostilePublish, no_batch_at_all_is_refused) { expectViolation(publishFrame(1, {})); }

TEST_F(HostilePublish, not_even_a_handle_is_refused) { expectViolation(makeFrame(protocol::FrameType::publish, Bytes(3))); }

TEST_F(HostilePublish, two_batches_in_one_frame_is_refused) {
    auto batches = makeBatch({"one"});
    append(batches, makeBatch({"two"}, 2));
    expectViolation(publishFrame(1, batches));
}

TEST_F(HostilePublish, a_body_longer_than_the_frame_is_refused) { expectViolation(publishFrame(1, batchWith(kBodyBytesAt, kBody + 1))); }

TEST_F(HostilePublish, a_body_shorter_than_the_frame_is_refused) { expectViolation(publishFrame(1, batchWith(kBodyBytesAt, kBody - 1))); }

TEST_F(HostilePublish, a_body_of_four_gigabytes_is_refused) { expectViolation(publishFrame(1, batchWith(kBodyBytesAt, 0xFFFFFFFFu))); }

TEST_F(HostilePublish, a_count_without_room_for_its_lengths_is_refused) { expectViolation(publishFrame(1, batchWith(kCountAt, std::uint32_t{4}))); }

TEST_F(HostilePublish, a_count_of_four_billion_is_refused) { expectViolation(publishFrame(1, batchWith(kCountAt, 0xFFFFFFFFu))); }

TEST_F(HostilePublish, a_count_of_nothing_is_refused) { expectViolation(publishFrame(1, batchWith(kCountAt, std::uint32_t{0}))); }

TEST_F(HostilePublish, an_unknown_flag_is_refused) { expectViolation(publishFrame(1, batchWith(kFlagsAt, std::uint16_t{0x8000}))); }

/// The hub does not look into bodies: such a batch reaches the subscribers, whose SDK finds it out.
TEST_F(HostilePublish, lying_lengths_inside_a_batch_are_found_by_the_subscriber_and_hurt_nobody_else) {
    TestSubscriber sdk;
    sdk.client.connectToHub("sdk", watched.hub.url());
    ASSERT_EQ(sdk.subscribe("target"), Error::ok);
    std::vector<Bytes> lies{makeBatch({"one", "two"}), makeBatch({"one", "two"}), makeBatch({"one", "two"}), makeBatch({"one", "two"})};
    protocol::store(lies[0].data() + BatchHeader::kBytes, 0xFFFFFFFFu);
    protocol::store(lies[1].data() + BatchHeader::kBytes, std::uint32_t{4});
    protocol::store(lies[2].data() + kCountAt, std::uint32_t{3});
    lies[3].back() ^= std::byte{1};
    for (auto const& lie : lies) ASSERT_TRUE(raw.send(publishFrame(1, lie)));
    ASSERT_TRUE(raw.publish(1, {"good"}));

    ASSERT_TRUE(sdk.messages.waitFor(1));
    EXPECT_EQ(sdk.payloads(), std::vector<std::string>{"good"});
    EXPECT_TRUE(sdk.errors.waitFor(lies.size()));
    EXPECT_EQ(sdk.client.stats().damaged, lies.size());
    EXPECT_EQ(sdk.states.size(), 2u) << "the link stays";
    ASSERT_TRUE(reader.readUntil([&] {
        auto const payloads = reader.received().payloads();
        return !payloads.empty() && payloads.back() == "good";
    }));
    EXPECT_EQ(reader.received().damaged(), lies.size());
    EXPECT_EQ(reader.received().problem(), "") << "the hub's own checksums and offsets are right";
}

/// The correct body, but lying about what it is not: the same with a correct checksum.
TEST_F(HostilePublish, lying_lengths_under_a_correct_checksum_are_found_too) {
    TestSubscriber sdk;
    sdk.client.connectToHub("sdk", watched.hub.url());
    ASSERT_EQ(sdk.subscribe("target"), Error::ok);
    for (std::uint32_t const length : {0u, 2u, 4u, 10u, 11u, 0x7FFFFFFFu, 0xFFFFFFFCu, 0xFFFFFFFFu}) {
        auto lie = makeBatch({"one", "two"});
        protocol::store(lie.data() + BatchHeader::kBytes, length);
        protocol::sealBatch(lie.data(), kBody, 2, 7, 1);
        ASSERT_TRUE(raw.send(publishFrame(1, lie)));
    }
    ASSERT_TRUE(raw.publish(1, {"good"}));
    ASSERT_TRUE(sdk.messages.waitUntil([](auto const& all) { return !all.empty() && all.back().payload == "good"; }));
    EXPECT_EQ(sdk.client.stats().damaged, 8u);
    EXPECT_EQ(sdk.states.size(), 2u);
}

TEST_F(HostilePublish, a_sequence_from_nowhere_is_confirmed_and_does_not_matter_to_others) {
    for (std::uint64_t const first : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        ASSERT_TRUE(raw.send(publishFrame(1, makeBatch({"x"}, first))));
    }
    ASSERT_TRUE(reader.waitForMessages(3));
    EXPECT_EQ(reader.received().problem(), "");
    EXPECT_EQ(watched.canary.trouble(), "");
}

TEST(PublishCredit, with_none_left_a_publish_is_a_violation) {
    hub::Limits limits;
    limits.windowBytes = 64 * 1024;
    WatchedHub watched{limits};
    RawClient reader{watched.port()};
    ASSERT_TRUE(reader.greet());
    ASSERT_EQ(reader.subscribe(1, "narrow", 0), Error::ok);
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.open(1, "narrow"), Error::ok);
    // Whoever does not look at the credit is cut before much has been taken.
    Bytes flood;
    for (int i = 0; i < 100; ++i) append(flood, raw.publishBytes(1, {patternText(20'000)}));
    raw.send(flood);
    EXPECT_EQ(raw.waitForGoodbye(), Error::creditExceeded);
    EXPECT_EQ(raw.received().last<protocol::Goodbye>()->reason, describe(Error::creditExceeded));

    auto const taken = watched.hub.server().stats().messagesIn;
    EXPECT_LE(taken * 20'000, 4 * limits.windowBytes);
    ASSERT_TRUE(reader.sendFrame(protocol::Credit{1, RawClient::kUnlimited}));
    ASSERT_TRUE(reader.waitForMessages(taken));
    EXPECT_EQ(reader.received().problem(), "");
    raw.reset();
    reader.reset();
    watched.expectUnharmed();
}

TEST(PublishCredit, a_message_larger_than_the_window_passes_alone_and_is_never_stuck) {
    hub::Limits limits;
    limits.windowBytes = 64 * 1024;
    WatchedHub watched{limits};
    RawClient reader{watched.port()};
    ASSERT_TRUE(reader.greet());
    ASSERT_EQ(reader.subscribe(1, "narrow"), Error::ok);
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.open(1, "narrow"), Error::ok);
    std::vector<std::string> expected;
    std::uint64_t sent = 0;
    for (std::size_t const size : {limits.maxPayloadBytes, std::size_t{1}, std::size_t{1'000'000}, limits.maxPayloadBytes}) {
        ASSERT_TRUE(raw.readUntil([&] { return raw.received().last<protocol::Confirm>()->credit > sent; }));
        expected.push_back(patternText(size, expected.size()));
        sent += size + kLoneOverhead;
        ASSERT_TRUE(raw.publish(1, {expected.back()}));
        ASSERT_TRUE(reader.waitForMessages(expected.size()));
    }
    EXPECT_TRUE(reader.received().payloads() == expected);
    ASSERT_TRUE(raw.waitForConfirm(1, expected.size()));
    raw.reset();
    reader.reset();
    watched.expectUnharmed();
}

TEST(PublishCredit, a_payload_over_the_limit_is_refused_without_being_held) {
    WatchedHub watched;
    RawClient raw{watched.port()};
    ASSERT_TRUE(raw.greet());
    ASSERT_EQ(raw.open(1, "big"), Error::ok);
    Bytes header(protocol::kFrameHeaderBytes);
    auto const over = raw.received().last<protocol::Welcome>()->maxFrameBytes - protocol::kFrameHeaderBytes + 1;
    protocol::storeFrameHeader(header.data(), protocol::FrameType::publish, over);
    ASSERT_TRUE(raw.send(header));
    EXPECT_EQ(raw.waitForGoodbye(), Error::tooLarge);
    raw.reset();
    watched.expectUnharmed();
}

}  // namespace
}  // namespace gazellemq::test
