#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;
using testing::ElementsAre;

struct Failed {
    std::string topic;
    std::uint64_t count;
    Error code;
    bool operator==(Failed const&) const = default;
};

TEST(HubLimits, a_subscription_over_the_limit_is_refused_and_told) {
    hub::Limits limits;
    limits.maxSubscriptions = 2;
    TestHub hub{limits};
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("a"), Error::ok);
    ASSERT_EQ(subscriber.subscribe("b.*"), Error::ok);
    EXPECT_EQ(subscriber.subscribe("c"), Error::tooManySubscriptions);
    ASSERT_TRUE(subscriber.errors.waitFor(1));
    EXPECT_THAT(subscriber.errors.all(), ElementsAre(Error::tooManySubscriptions));
    EXPECT_THAT(subscriber.reasons.all()[0], testing::HasSubstr("'c'"));
    EXPECT_EQ(subscriber.client.unsubscribe("c"), Error::ok);
    EXPECT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (auto const* topic : {"a", "b.x", "c"}) EXPECT_EQ(publisher.publish(topic, topic), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    EXPECT_THAT(subscriber.payloads(), testing::UnorderedElementsAre("a", "b.x"));
}

TEST(HubLimits, too_many_topics_are_refused_to_both_sides) {
    hub::Limits limits;
    limits.maxTopics = 2;
    TestHub hub{limits};
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("a"), Error::ok);
    ASSERT_EQ(subscriber.subscribe("b"), Error::ok);
    EXPECT_EQ(subscriber.subscribe("c"), Error::tooManyTopics);
    EXPECT_TRUE(subscriber.errors.waitForOne(Error::tooManyTopics));
    Inbox<Failed> failures;
    PublisherClient publisher;
    publisher.onPublishFailed([&](std::string_view topic, std::uint64_t count, Error code, std::string_view reason) {
        EXPECT_FALSE(reason.empty());
        failures.add({std::string{topic}, count, code});
    });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    EXPECT_EQ(publisher.publish("d", "x"), Error::ok) << "the hub's answer comes later";
    ASSERT_TRUE(failures.waitFor(1));
    EXPECT_THAT(failures.all(), ElementsAre(Failed{"d", 1, Error::tooManyTopics}));
    EXPECT_EQ(publisher.publish("a", "x"), Error::ok);
    EXPECT_TRUE(subscriber.messages.waitFor(1));
}

TEST(HubLimits, messages_to_a_topic_that_is_refused_are_counted_exactly) {
    hub::Limits limits;
    limits.maxOpenTopics = 1;
    TestHub hub{limits};
    Inbox<Failed> failures;
    PublisherClient publisher;
    publisher.onPublishFailed([&](std::string_view topic, std::uint64_t count, Error code, std::string_view) {
        failures.add({std::string{topic}, count, code});
    });
    // Some wait for the link, in open and in full batches; more follow while the hub refuses.
    EXPECT_EQ(publisher.publish("good", "1"), Error::ok);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(publisher.publish("bad", std::string(100, 'x')), Error::ok);
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(publisher.publish("bad", std::string(100, 'x')), Error::ok);
        if (i % 100 == 0) {
            EXPECT_NE(publisher.flush(kPatience), Error::timeout);
        }
    }
    EXPECT_EQ(publisher.publish("good", "2"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::tooManyOpenTopics) << "not everything was confirmed";
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "nothing new was refused since";
    auto const stats = publisher.stats();
    EXPECT_EQ(stats.published, 2002U);
    EXPECT_EQ(stats.confirmed, 2U);
    EXPECT_EQ(stats.refused, 2000U);
    EXPECT_EQ(stats.buffered + stats.unconfirmed + stats.lost + stats.bufferedBytes, 0U);
    EXPECT_TRUE(failures.waitUntil([](auto const& all) {
        std::uint64_t sum = 0;
        for (auto const& failed : all) sum += failed.topic == "bad" && failed.code == Error::tooManyOpenTopics ? failed.count : 0;
        return sum == 2000;
    }));
    for (auto const& failed : failures.all()) EXPECT_GT(failed.count, 0U);
    EXPECT_EQ(publisher.close(kPatience), 2000U);
}

TEST(HubLimits, a_hub_short_of_memory_slows_publishers_and_goes_on) {
    hub::Limits limits;
    limits.windowBytes = 1024 * 1024;
    limits.maxMemory = 4 * 1024 * 1024;
    TestHub hub{limits};
    Gate go;
    OpensAtEnd const opens{go};
    std::atomic<std::uint64_t> received{0};
    Inbox<Error> errors;
    Inbox<std::string> reasons;
    SubscriberClient subscriber;
    for (int i = 0; i < 24; ++i) {
        subscriber.subscribe("t" + std::to_string(i), [&](std::string&&) {
            go.wait();
            ++received;
        });
    }
    SubscriberOptions options;
    options.receiveWindowBytes = 64 * 1024;
    ASSERT_EQ(subscriber.connectToHub("subscriber", hub.url(), options), Error::ok);
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    PublisherOptions publisherOptions;
    publisherOptions.maxBufferedBytes = 64 * 1024 * 1024;
    publisher.onError([&](Error error, std::string_view reason) {
        reasons.add(std::string{reason});
        errors.add(error);
    });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), publisherOptions), Error::ok);
    for (int i = 0; i < 24'000; ++i) {
        ASSERT_EQ(publisher.publish("t" + std::to_string(i % 24), std::string(1000, 'x')), Error::ok);
    }
    EXPECT_EQ(publisher.flush(20ms), Error::timeout);
    EXPECT_TRUE(errors.waitForOne(Error::hubMemoryFull)) << "it is told why it waits";
    EXPECT_THAT(reasons.all().at(0), testing::AllOf(testing::HasSubstr("publishing to 't"), testing::HasSubstr("--max-memory")));
    // The windows alone would take 24 MB. Each topic may go over by a batch; beside that there are two read buffers,
    // and what is being written to the subscriber: 256 KB and the frame that goes beyond.
    EXPECT_LT(hub.server().stats().bufferBytes, limits.maxMemory + (24 + 1) * 33 * 1024 + 2 * 128 * 1024 + 256 * 1024);
    go.open();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(eventually([&] { return received == 24'000; })) << received;
}

TEST(Flush, tells_what_became_of_the_messages) {
    TestHub hub;
    PublisherClient publisher;
    EXPECT_EQ(publisher.flush(0ms), Error::ok) << "there is nothing to wait for";
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.flush(10ms), Error::timeout) << "never connected";
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url(), impatient<PublisherOptions>()), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    hub.kill();
    ASSERT_TRUE(eventually([&] { return publisher.state() != State::ready; }));
    EXPECT_EQ(publisher.publish("t", "waits"), Error::ok);
    EXPECT_EQ(publisher.flush(10ms), Error::timeout);
    hub.start();
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "nothing of it was lost";
    publisher.close(kPatience);
    EXPECT_EQ(publisher.flush(kPatience), Error::closed);
}

TEST(Flush, without_any_subscriber_is_confirmed_soon) {
    TestHub hub;
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    Watchdog const watchdog{"100 flushes: each takes a round trip and not a tick of the hub"};
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(publisher.publish("t" + std::to_string(i), "x"), Error::ok);
        EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    }
}

}  // namespace
}  // namespace gazellemq::client
