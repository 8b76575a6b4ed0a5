#include "Delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>

#include "FakeReader.hpp"
#include "OutputQueue.hpp"

namespace gazellemq::hub {
namespace {

using protocol::FrameType;
using protocol::OutputQueue;
using test::FakeReader;

struct Sent {
    FrameType type;
    std::uint32_t handle;
    std::size_t frameBytes;
    std::vector<std::string> payloads;
};

class DeliveryTest : public testing::Test {
  protected:
    void append(Topic& to, std::size_t bytes, std::size_t count = 1) {
        for (; count > 0; --count) {
            auto const payload = test::patternText(bytes - test::kLoneOverhead, ++appended);
            auto const batch = test::makeBatch({payload});
            auto buffer = hub.pool().take(batch.size());
            std::copy(batch.begin(), batch.end(), buffer->data());
            to.partition(0).append({buffer, {buffer->data(), batch.size()}, 1}, {});
            payloads.push_back(payload);
            for (auto* cursor : to.partition(0).takeIdle()) {
                cursor->reader->subscription->ready().push_back(cursor);
                delivery.offer(*cursor->reader->subscription);
            }
        }
    }

    /// One fill, cut into its frames.
    std::vector<Sent> fill() {
        delivery.fill(out);
        test::Bytes bytes;
        while (!out.empty()) {
            std::size_t n = 0;
            for (auto const& piece : out.gather()) {
                test::append(bytes, {static_cast<std::byte const*>(piece.iov_base), piece.iov_len});
                n += piece.iov_len;
            }
            out.consume(n);
        }
        std::vector<Sent> frames;
        for (protocol::ByteView rest = bytes; !rest.empty();) {
            auto const size = protocol::kFrameHeaderBytes + protocol::load<std::uint32_t>(rest.data());
            auto const type = static_cast<FrameType>(rest[4]);
            auto& frame = frames.emplace_back(Sent{type, protocol::load<std::uint32_t>(&rest[12]), size, {}});
            for (auto batches = rest.first(size).subspan(protocol::kDataHeaderBytes);
                 type == FrameType::deliver && !batches.empty();) {
                auto const batch = batches.first(protocol::BatchHeader::decode(batches).value().totalBytes());
                for (auto& payload : test::payloadsOf(batch)) frame.payloads.push_back(std::move(payload));
                batches = batches.subspan(batch.size());
            }
            rest = rest.subspan(size);
        }
        return frames;
    }

    static std::vector<std::string> payloadsIn(std::vector<Sent> const& frames) {
        std::vector<std::string> all;
        for (auto const& frame : frames) all.insert(all.end(), frame.payloads.begin(), frame.payloads.end());
        return all;
    }

    Limits const limits{};
    test::FakeHub hub;
    test::FakeClient client{hub};
    Topic topic{7, "t", TopicSettings::defaults(limits)};
    Delivery delivery{hub.broker()};
    OutputQueue out;
    std::size_t appended = 0;
    std::vector<std::string> payloads;
};

TEST_F(DeliveryTest, announces_the_topic_before_its_first_batch_only) {
    FakeReader reader{client, topic, true};
    append(topic, 100);
    auto frames = fill();
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].type, FrameType::topic);
    EXPECT_EQ(frames[1].type, FrameType::deliver);
    append(topic, 100);
    frames = fill();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].payloads.front(), payloads[1]);
}

TEST_F(DeliveryTest, tells_what_was_dropped_before_the_batch_that_follows) {
    FakeReader reader{client, topic, false};
    append(topic, 100);
    reader.reader.dropped = 5;
    auto const frames = fill();
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[1].type, FrameType::dropped);
    EXPECT_EQ(frames[2].type, FrameType::deliver);
    EXPECT_EQ(reader.reader.dropped, 0U) << "it is told once";
}

TEST_F(DeliveryTest, joins_small_batches_into_frames_of_at_most_32_kilobytes) {
    FakeReader reader{client, topic, true};
    append(topic, 1000, 100);
    auto const frames = fill();
    EXPECT_EQ(payloadsIn(frames), payloads);
    for (std::size_t i = 1; i < frames.size(); ++i) {
        EXPECT_LE(frames[i].frameBytes, protocol::kMaxJoinedFrameBytes);
        if (i + 1 < frames.size()) {
            EXPECT_GT(frames[i].frameBytes + 1000, protocol::kMaxJoinedFrameBytes)
                << "it could have held one more";
        }
    }
}

// B03: about the limit; with and without small batches in front.
TEST_F(DeliveryTest, sends_a_batch_of_any_size_at_once_and_whole) {
    FakeReader reader{client, topic, true};
    constexpr auto kLimit = protocol::kMaxJoinedFrameBytes;
    for (std::size_t const size :
         {kLimit - 17, kLimit - 16, kLimit - 15, kLimit - 1, kLimit, kLimit + 1, 2 * kLimit, 8 * kLimit}) {
        for (std::size_t const before : {0U, 1U, 2U, 5U}) {
            payloads.clear();
            append(topic, 100, before);
            append(topic, size);
            auto const frames = fill();
            ASSERT_EQ(payloadsIn(frames), payloads) << size << " behind " << before;
            for (auto const& frame : frames) {
                ASSERT_TRUE(frame.payloads.size() <= 1 || frame.frameBytes <= kLimit)
                    << "only alone a batch may be larger";
            }
        }
    }
}

TEST_F(DeliveryTest, two_batches_that_fill_a_frame_exactly_share_it) {
    FakeReader reader{client, topic, true};
    append(topic, 100);
    fill();
    constexpr auto kRoom = protocol::kMaxJoinedFrameBytes - protocol::kDataHeaderBytes;
    append(topic, 1000);
    append(topic, kRoom - 1000);
    EXPECT_EQ(fill().size(), 1U);
    append(topic, 1000);
    append(topic, kRoom - 999);
    EXPECT_EQ(fill().size(), 2U);
}

TEST_F(DeliveryTest, sends_nothing_without_credit) {
    FakeReader reader{client, topic, true, 0};
    append(topic, 100);
    EXPECT_TRUE(fill().empty());
    reader.subscription.raiseCredit(1);
    EXPECT_TRUE(delivery.offer(reader.subscription));
    EXPECT_EQ(payloadsIn(fill()), payloads) << "any credit is enough for one frame";
}

TEST_F(DeliveryTest, goes_over_the_credit_by_less_than_one_frame) {
    FakeReader reader{client, topic, true, 40'000};
    append(topic, 1000, 200);
    auto const frames = fill();
    EXPECT_GE(reader.subscription.delivered(), 40'000U);
    EXPECT_LE(reader.subscription.delivered(), 40'000U + protocol::kMaxJoinedFrameBytes);
    EXPECT_TRUE(fill().empty());
}

TEST_F(DeliveryTest, gives_each_subscription_one_frame_in_turn) {
    Topic other{8, "other", TopicSettings::defaults(limits)};
    FakeReader first{client, topic, true};
    FakeReader second{client, other, true};
    append(topic, 20'000, 4);
    append(other, 20'000, 4);
    std::vector<std::uint32_t> turns;
    for (auto const& frame : fill()) {
        if (frame.type == FrameType::deliver) turns.push_back(frame.handle);
    }
    EXPECT_THAT(turns, testing::ElementsAre(7, 8, 7, 8, 7, 8, 7, 8));
    EXPECT_TRUE(delivery.empty());
}

TEST_F(DeliveryTest, serves_all_that_are_left_once_whoever_is_forgotten_in_whatever_order) {
    std::list<Topic> topics;
    std::vector<std::unique_ptr<FakeReader>> readers;
    for (std::uint32_t i = 0; i < 50; ++i) {
        readers.push_back(std::make_unique<FakeReader>(client, topics.emplace_back(i, std::to_string(i), TopicSettings::defaults(limits)), true));
        append(topics.back(), 100);
    }
    delivery.forget(readers[49]->subscription);
    delivery.forget(readers[0]->subscription);
    delivery.forget(readers[0]->subscription);
    for (std::size_t i = 1; i < 49; i += 3) delivery.forget(readers[i]->subscription);
    std::vector<std::uint32_t> served;
    for (auto const& frame : fill()) {
        if (frame.type == FrameType::deliver) served.push_back(frame.handle);
    }
    EXPECT_EQ(served.size(), 32U);
    for (auto const handle : served) EXPECT_TRUE(handle % 3 != 1 && handle != 0 && handle != 49) << handle;
    std::sort(served.begin(), served.end());
    EXPECT_EQ(std::unique(served.begin(), served.end()), served.end());
    EXPECT_TRUE(delivery.offer(readers[0]->subscription)) << "it can come back";
    EXPECT_EQ(payloadsIn(fill()).size(), 1U);
}

TEST_F(DeliveryTest, stops_when_there_is_enough_for_one_write) {
    FakeReader reader{client, topic, true};
    append(topic, 10'000, 100);
    delivery.fill(out);
    EXPECT_GE(out.bytes(), Delivery::kGatherBytes);
    EXPECT_LE(out.bytes(), Delivery::kGatherBytes + protocol::kMaxJoinedFrameBytes);
    EXPECT_FALSE(delivery.empty());
    auto const before = out.bytes();
    delivery.fill(out);
    EXPECT_EQ(out.bytes(), before);
}

TEST_F(DeliveryTest, never_fills_more_pieces_than_a_write_takes) {
    FakeReader reader{client, topic, true};
    append(topic, test::kLoneOverhead, 3000);
    std::size_t writes = 0;
    std::size_t messages = 0;
    while (!delivery.empty()) {
        delivery.fill(out);
        ASSERT_LE(out.gather().size(), 1024U);
        messages += payloadsIn(fill()).size();
        ++writes;
    }
    EXPECT_GT(writes, 1U);
    EXPECT_EQ(messages, 3000U);
}

TEST_F(DeliveryTest, forgets_a_subscription_that_goes_away) {
    FakeReader reader{client, topic, true};
    append(topic, 100);
    delivery.forget(reader.subscription);
    EXPECT_TRUE(delivery.empty());
    EXPECT_TRUE(fill().empty());
}

TEST_F(DeliveryTest, forgets_all_subscriptions_of_a_connection_that_ends) {
    FakeReader first{client, topic, true};
    FakeReader second{client, topic, true};
    append(topic, 100);
    delivery.forgetAll();
    EXPECT_TRUE(fill().empty());
    EXPECT_TRUE(delivery.offer(first.subscription)) << "it is not taken for one that is in the queue";
    EXPECT_EQ(payloadsIn(fill()).size(), 1U);
}

}  // namespace
}  // namespace gazellemq::hub
