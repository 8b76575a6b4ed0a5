#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Batches.hpp"
#include "Received.hpp"
#include "TestHub.hpp"

/// B03: messages around the size of a batch, followed by silence. No heartbeat runs here that could push what is stuck.
namespace gazellemq::client {
namespace {

using namespace test;
using testing::ElementsAre;

constexpr std::size_t kMaxPayload = 8 * 1024 * 1024;
constexpr std::size_t kDefaultBatch = 32 * 1024;
/// What fills a batch of one message exactly: the frame's and the batch's header and the length.
constexpr std::size_t kOverhead = protocol::kDataHeaderBytes + protocol::BatchHeader::kBytes + protocol::BatchHeader::kLengthBytes;

std::vector<std::size_t> sizesAround(std::size_t batch) {
    std::vector<std::size_t> sizes{0, 1, batch - 1, batch, batch + 1, 2 * batch, kMaxPayload};
    for (auto const delta : {-5, -4, -3, -1, 0, 1}) sizes.push_back(batch - kOverhead + static_cast<std::size_t>(delta));
    return sizes;
}

class Sizes : public testing::TestWithParam<std::size_t> {
  protected:
    Sizes() {
        options.maxBatchBytes = GetParam();
        options.maxBufferedBytes = 64 * 1024 * 1024;
    }
    void SetUp() override {
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), silent<SubscriberOptions>()), Error::ok);
        ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    }
    void expectPayloads(std::vector<std::string> const& sent, std::string const& what) {
        ASSERT_TRUE(subscriber.messages.waitFor(received + sent.size())) << what;
        auto const all = subscriber.payloads();
        ASSERT_EQ(all.size(), received + sent.size()) << what;
        for (std::size_t i = 0; i < sent.size(); ++i) ASSERT_TRUE(all[received + i] == sent[i]) << what << ", message " << i;
        received = all.size();
    }

    TestHub hub{silentHub()};
    TestSubscriber subscriber;
    PublisherOptions options = silent<PublisherOptions>();
    std::size_t received = 0;
};

TEST_P(Sizes, one_message_on_a_fresh_connection_followed_by_silence_arrives) {
    for (auto const size : sizesAround(GetParam())) {
        PublisherClient publisher;
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
        auto const payload = patternText(size, size);
        ASSERT_EQ(publisher.publish("t", payload), Error::ok);
        expectPayloads({payload}, std::to_string(size) + " bytes");
    }
}

TEST_P(Sizes, small_messages_before_it_change_nothing) {
    auto const batch = GetParam();
    // The k small ones and the message fill the batch to one under, exactly, and one over; then a message that never fits.
    for (std::size_t const k : {1U, 2U, 10U}) {
        auto const used = protocol::kDataHeaderBytes + protocol::BatchHeader::kBytes + k * (protocol::BatchHeader::kLengthBytes + 3) +
                          protocol::BatchHeader::kLengthBytes;
        for (auto const size : {batch - used - 1, batch - used, batch - used + 1, batch, 2 * batch}) {
            PublisherClient publisher;
            ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
            std::vector<std::string> sent(k, "abc");
            sent.push_back(patternText(size, k));
            for (auto const& payload : sent) ASSERT_EQ(publisher.publish("t", payload), Error::ok);
            expectPayloads(sent, std::to_string(k) + " small ones and " + std::to_string(size) + " bytes");
        }
    }
}

TEST_P(Sizes, the_same_messages_that_waited_for_the_hub_arrive) {
    for (auto const size : sizesAround(GetParam())) {
        PublisherClient publisher;
        std::vector<std::string> sent;
        if (size % 2 == 1) sent.emplace_back("abc");
        sent.push_back(patternText(size, size));
        for (auto const& payload : sent) ASSERT_EQ(publisher.publish("t", payload), Error::ok);
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
        expectPayloads(sent, std::to_string(size) + " bytes");
    }
}

TEST_P(Sizes, the_last_of_many_arrives_although_nothing_follows) {
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    // Ends in every phase of a batch, and in bursts that the receiver takes in several reads.
    for (std::size_t round = 1; round <= 60; ++round) {
        std::vector<std::string> sent;
        for (std::size_t i = 0; i < round * 20; ++i) sent.push_back(patternText(round * 7 + i % 50, i));
        for (auto const& payload : sent) ASSERT_EQ(publisher.publish("t", payload), Error::ok);
        expectPayloads(sent, "round " + std::to_string(round));
    }
}

INSTANTIATE_TEST_SUITE_P(Batches, Sizes, testing::Values(1024, kDefaultBatch, 1024 * 1024));

class LargeMessages : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), silent<SubscriberOptions>()), Error::ok);
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), silent<PublisherOptions>()), Error::ok);
        ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    }

    TestHub hub{silentHub()};
    TestSubscriber subscriber;
    PublisherClient publisher;
};

TEST_F(LargeMessages, every_large_message_arrives_at_once_although_nothing_follows) {
    for (std::size_t i = 0; i < 24; ++i) {
        auto const payload = patternText(200'000 + i * 104'729, i);
        ASSERT_EQ(publisher.publish("t", payload), Error::ok);
        ASSERT_TRUE(subscriber.messages.waitFor(i + 1)) << payload.size() << " bytes";
    }
    auto const all = subscriber.payloads();
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(all[i] == patternText(200'000 + i * 104'729, i)) << i;
}

TEST_F(LargeMessages, the_largest_is_accepted_and_one_byte_more_is_not) {
    auto const largest = patternText(kMaxPayload);
    EXPECT_EQ(publisher.publish("t", "before"), Error::ok);
    EXPECT_EQ(publisher.publish("t", largest + "x"), Error::tooLarge);
    EXPECT_EQ(publisher.publish("t", largest), Error::ok);
    EXPECT_EQ(publisher.publishBatch("t", std::vector<std::string_view>{"a", largest, largest}), Error::tooLarge) << "more than the buffer";
    EXPECT_EQ(publisher.publishBatch("t", std::vector<std::string_view>{"a", largest + "x"}), Error::tooLarge);
    EXPECT_EQ(publisher.publish("t", "after"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(3));
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    auto const payloads = subscriber.payloads();
    ASSERT_EQ(payloads.size(), 3U);
    EXPECT_EQ(payloads[0], "before");
    EXPECT_TRUE(payloads[1] == largest);
    EXPECT_EQ(payloads[2], "after");
    EXPECT_EQ(publisher.stats().published, 3U);
}

TEST(HubsPayloadLimit, is_taken_over_by_a_connected_publisher) {
    auto limits = silentHub();
    limits.maxPayloadBytes = 1000;
    TestHub hub{limits};
    PublisherClient publisher;
    Gate ready;
    publisher.setOnReady([&] { ready.open(); });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    ASSERT_TRUE(ready.wait());
    EXPECT_EQ(publisher.publish("t", std::string(1001, 'x')), Error::tooLarge);
    EXPECT_EQ(publisher.publish("t", std::string(1000, 'x')), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
}

TEST(HubsPayloadLimit, refuses_what_was_accepted_before_it_was_known_and_nothing_else) {
    auto limits = silentHub();
    limits.maxPayloadBytes = 2 * 1024 * 1024;
    TestHub hub{limits};
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url(), silent<SubscriberOptions>()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    struct Failed {
        std::string topic;
        std::uint64_t count;
        Error code;
    };
    Inbox<Failed> failures;
    PublisherClient publisher;
    publisher.onPublishFailed([&](std::string_view topic, std::uint64_t count, Error code, std::string_view) {
        failures.add({std::string{topic}, count, code});
    });
    auto const tooLarge = std::string(3 * 1024 * 1024, 'x');
    for (auto const& payload : {std::string{"1"}, tooLarge, std::string{"2"}, tooLarge, tooLarge, std::string{"3"}}) {
        ASSERT_EQ(publisher.publish("t", payload), Error::ok);
    }
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), silent<PublisherOptions>()), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(3));
    EXPECT_THAT(subscriber.payloads(), ElementsAre("1", "2", "3"));
    EXPECT_EQ(publisher.flush(kPatience), Error::tooLarge) << "not everything was confirmed";
    auto const stats = publisher.stats();
    EXPECT_EQ(stats.confirmed, 3U);
    EXPECT_EQ(stats.refused, 3U);
    EXPECT_EQ(stats.buffered + stats.unconfirmed + stats.lost + stats.bufferedBytes, 0U);
    auto const told = [](auto const& all) {
        std::uint64_t count = 0;
        for (auto const& failed : all) count += failed.topic == "t" && failed.code == Error::tooLarge ? failed.count : 0;
        return count == 3;
    };
    EXPECT_TRUE(failures.waitUntil(told));
}

}  // namespace
}  // namespace gazellemq::client
