#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "Batches.hpp"
#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;
using testing::ElementsAre;

/// Sizes of the batches as a subscriber sees them.
class PublishOptions : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
        subscriber.client.subscribe("t", [this](std::span<Message const> messages) {
            batches.add(messages.size());
            for (auto const& message : messages) texts.add(std::string{message.payload});
        });
        ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    }

    TestHub hub;
    Inbox<std::string> texts;
    Inbox<std::size_t> batches;
    TestSubscriber subscriber;
    PublisherClient publisher;
};

TEST_F(PublishOptions, the_number_of_messages_in_a_batch_can_be_limited) {
    for (int i = 0; i < 95; ++i) EXPECT_EQ(publisher.publish("t", std::to_string(i)), Error::ok);
    PublisherOptions options;
    options.maxBatchMessages = 10;
    // The limit holds for what is published from connectToHub on: what waits is one batch.
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    for (int i = 95; i < 300; ++i) EXPECT_EQ(publisher.publish("t", std::to_string(i)), Error::ok);
    ASSERT_TRUE(texts.waitFor(300));
    auto const sizes = batches.all();
    EXPECT_GE(sizes.front(), 95U);
    for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_LE(sizes[i], 10U);
    for (int i = 0; i < 300; ++i) EXPECT_EQ(texts.all()[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST_F(PublishOptions, one_message_a_batch_is_possible) {
    PublisherOptions options;
    options.maxBatchMessages = 1;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    std::vector<std::string_view> const some{"a", "", "b"};
    EXPECT_EQ(publisher.publishBatch("t", some), Error::ok);
    EXPECT_EQ(publisher.publish("t", "c"), Error::ok);
    ASSERT_TRUE(texts.waitFor(4));
    EXPECT_THAT(batches.all(), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(texts.all(), ElementsAre("a", "", "b", "c"));
}

TEST_F(PublishOptions, a_batch_is_never_larger_than_its_limit_unless_one_message_is) {
    PublisherOptions options;
    options.maxBatchBytes = 1024;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(publisher.publish("t", patternText(100)), Error::ok);
    EXPECT_EQ(publisher.publish("t", patternText(5000)), Error::ok);
    ASSERT_TRUE(batches.waitUntil([](auto const& sizes) {
        std::size_t sum = 0;
        for (auto const size : sizes) sum += size;
        return sum == 501;
    }));
    auto const most = (1024 - protocol::kDataHeaderBytes - protocol::BatchHeader::kBytes) / 104;
    for (auto const size : batches.all()) EXPECT_LE(size, most);
    EXPECT_EQ(batches.all().back(), 1U);
}

TEST_F(PublishOptions, a_batch_of_messages_is_taken_whole_or_not_at_all) {
    PublisherOptions options;
    options.maxBufferedBytes = 32 * 1024;
    options.whenFull = WhenFull::fail;
    hub.stop();
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient(options)), Error::ok);
    std::vector<std::string> const texts10(10, std::string(2000, 'x'));
    std::vector<std::string_view> const ten(texts10.begin(), texts10.end());
    EXPECT_EQ(publisher.publishBatch("t", ten), Error::ok);
    EXPECT_EQ(publisher.publishBatch("t", ten), Error::bufferFull);
    EXPECT_EQ(publisher.stats().published, 10U);
    EXPECT_EQ(publisher.publish("t", "one more fits"), Error::ok);
    std::vector<std::string_view> never(20, texts10[0]);
    EXPECT_EQ(publisher.publishBatch("t", never), Error::tooLarge) << "they never fit together";
    EXPECT_EQ(publisher.publishBatch("t", {}), Error::ok);
    EXPECT_EQ(publisher.stats().published, 11U);
    EXPECT_EQ(publisher.stats().buffered, 11U);
    hub.start();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(hub.server().stats().messagesIn, 11U);
}

TEST_F(PublishOptions, a_full_buffer_fails_at_once_if_that_is_wanted) {
    hub.stop();
    PublisherOptions options;
    options.maxBufferedBytes = 64 * 1024;
    options.whenFull = WhenFull::fail;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient(options)), Error::ok);
    std::uint64_t accepted = 0;
    auto error = Error::ok;
    while ((error = publisher.publish("t", std::string(1000, 'x'))) == Error::ok) ++accepted;
    EXPECT_EQ(error, Error::bufferFull);
    EXPECT_GT(accepted, 50U);
    EXPECT_LE(publisher.stats().bufferedBytes, 64U * 1024);
    EXPECT_EQ(publisher.stats().published, accepted);
    hub.start();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.publish("t", "room again"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.stats().confirmed, accepted + 1);
}

TEST_F(PublishOptions, a_full_buffer_blocks_at_most_for_its_limit) {
    Watchdog const watchdog{"publish with a full buffer"};
    hub.stop();
    PublisherOptions options;
    options.maxBufferedBytes = 64 * 1024;
    options.blockTimeout = 50ms;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient(options)), Error::ok);
    auto error = Error::ok;
    auto before = std::chrono::steady_clock::now();
    while (error == Error::ok) {
        before = std::chrono::steady_clock::now();
        error = publisher.publish("t", std::string(1000, 'x'));
    }
    EXPECT_EQ(error, Error::bufferFull);
    EXPECT_GE(std::chrono::steady_clock::now() - before, 50ms);
}

TEST_F(PublishOptions, a_blocked_publish_goes_on_when_the_hub_is_back_and_ends_when_the_client_is_closed) {
    Watchdog const watchdog{"publish with a full buffer"};
    hub.stop();
    PublisherOptions options;
    options.maxBufferedBytes = 64 * 1024;
    options.blockTimeout = 1h;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient(options)), Error::ok);
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<Error> last{Error::ok};
    std::thread program{[&] {
        while ((last = publisher.publish("t", std::string(1000, 'x'))) == Error::ok) ++accepted;
    }};
    auto const isBlocked = [&] { return publisher.stats().bufferedBytes > 62 * 1024; };
    EXPECT_TRUE(eventually(isBlocked));
    auto const before = accepted.load();
    hub.start();
    EXPECT_TRUE(eventually([&] { return accepted > before + 1000; }));
    hub.stop();
    EXPECT_TRUE(eventually(isBlocked));
    auto const unconfirmed = publisher.close(0ms);
    program.join();
    EXPECT_EQ(last, Error::closed);
    EXPECT_GE(unconfirmed, 50U);
}

TEST_F(PublishOptions, a_message_larger_than_the_buffer_is_taken_when_nothing_else_waits) {
    PublisherOptions options;
    options.maxBufferedBytes = 64 * 1024;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), options), Error::ok);
    auto const large = patternText(300'000);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(publisher.publish("t", "small"), Error::ok);
        EXPECT_EQ(publisher.publish("t", large), Error::ok);
    }
    ASSERT_TRUE(texts.waitFor(10));
    for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(texts.all()[i] == (i % 2 == 0 ? "small" : large)) << i;
}

TEST(InvalidOptions, are_refused_by_connectToHub) {
    auto const connect = [](auto change) {
        PublisherOptions options;
        change(options);
        return PublisherClient{}.connectToHub("p", "tcp://127.0.0.1:1", options);
    };
    EXPECT_EQ(connect([](auto& o) { o.maxBatchBytes = 1023; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.maxBatchBytes = 1024 * 1024 + 1; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.maxBufferedBytes = o.maxBatchBytes - 1; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.heartbeat = 99ms; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.backoffMin = 0ms; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.backoffMax = 1ms; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.connectTimeout = 0ms; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.closeTimeout = -1ms; }), Error::invalidOption);
    EXPECT_EQ(connect([](auto& o) { o.blockTimeout = -1ms; }), Error::invalidOption);
    SubscriberOptions options;
    options.receiveWindowBytes = 1000;
    EXPECT_EQ(SubscriberClient{}.connectToHub("s", "tcp://127.0.0.1:1", options), Error::invalidOption);
}

TEST(InvalidUrls, are_refused_by_connectToHub) {
    for (auto const* url : {"", "127.0.0.1:5875", "http://127.0.0.1", "tcp://", "tcp://host:port", "tcp://host:0", "tcp://host:65536",
                            "tcp://[::1", "tcp://a b"}) {
        EXPECT_EQ(PublisherClient{}.connectToHub("p", url), Error::invalidUrl) << url;
        EXPECT_EQ(SubscriberClient{}.connectToHub("s", url), Error::invalidUrl) << url;
    }
    EXPECT_EQ(PublisherClient{}.connectToHub("p", "host", 0), Error::invalidUrl);
    EXPECT_EQ(SubscriberClient{}.connectToHub("p", "ho st", 5875), Error::invalidUrl);
}

}  // namespace
}  // namespace gazellemq::client
