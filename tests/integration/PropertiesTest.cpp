#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "AdminClient.hpp"
#include "Received.hpp"
#include "TestHub.hpp"

/// Properties of messages, partitions, and what subscriptions may ask for, through the SDK.
namespace gazellemq::client {
namespace {

using namespace test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class Properties : public testing::Test {
  protected:
    Inbox<Error> failures;
    Inbox<std::uint64_t> gaps;
    TestHub hub;
    AdminClient admin;
    PublisherClient publisher;
    SubscriberClient subscriber;

    void SetUp() override {
        ASSERT_EQ(admin.connectToHub("admin", hub.url()), Error::ok);
        ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
        ASSERT_EQ(subscriber.connectToHub("subscriber", hub.url()), Error::ok);
    }
    void create(std::string const& arguments) { ASSERT_EQ(admin.request("topic.create", arguments, kPatience).error, Error::ok); }
    void subscribe(SubscribeOptions const& options) {
        ASSERT_EQ(subscriber.subscribe("t", options).error(), Error::ok);
        ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    }
    void publish(std::string_view payload, MessageProperties const& properties = {}) { EXPECT_EQ(publisher.publish("t", payload, properties), Error::ok); }
    void flush() { EXPECT_EQ(publisher.flush(kPatience), Error::ok); }
    std::string next() {
        auto const message = subscriber.receive(kPatience);
        return message ? std::string{message->payload} : "nothing";
    }
};

TEST_F(Properties, all_of_them_arrive_with_the_message_and_messages_without_have_none) {
    subscribe({});
    std::vector<Header> const headers{{"trace", "1"}, {"empty", ""}, {"trace", "2"}};
    publish("plain");
    publish("rich", {.key = "k", .ttl = 60s, .replyTo = "answers", .correlationId = "c", .contentType = "text/plain", .headers = headers});
    publish("plain again");
    flush();
    auto const plain = subscriber.receive(kPatience);
    auto const rich = subscriber.receive(kPatience);
    auto const again = subscriber.receive(kPatience);
    ASSERT_TRUE(plain && rich && again);
    EXPECT_EQ(rich->payload, "rich");
    EXPECT_EQ(rich->key(), "k");
    EXPECT_EQ(rich->ttl(), 60s);
    EXPECT_EQ(rich->replyTo(), "answers");
    EXPECT_EQ(rich->correlationId(), "c");
    EXPECT_EQ(rich->contentType(), "text/plain");
    EXPECT_EQ(rich->headers(), headers);
    EXPECT_EQ(rich->header("trace"), "1");
    EXPECT_EQ(rich->header("none"), std::nullopt);
    for (auto const& message : {plain, again}) {
        EXPECT_EQ(message->key(), "");
        EXPECT_TRUE(message->headers().empty());
    }
    EXPECT_EQ(again->payload, "plain again");
    EXPECT_EQ(again->offset, 2U);
}

TEST_F(Properties, what_cannot_be_is_refused_at_once) {
    EXPECT_EQ(publisher.publish("t", "x", {.ttl = -1ms}), Error::invalidOption);
    EXPECT_EQ(publisher.publish("t", "x", {.ttl = std::chrono::hours{24 * 50}}), Error::invalidOption);
    std::string const large(70'000, 'k');
    EXPECT_EQ(publisher.publish("t", "x", {.key = large}), Error::tooLarge);
    EXPECT_EQ(publisher.publish("t", "x", {.partition = 65'535}), Error::noSuchPartition);
    EXPECT_EQ(publisher.publish("a..b", "x", {.key = "k"}), Error::nameEmptyLevel);
    EXPECT_EQ(publisher.stats().published, 0U);
}

TEST_F(Properties, messages_of_one_key_are_in_one_partition_in_their_order_also_those_from_before_the_number_was_known) {
    create(R"({"name": "t", "settings": {"partitions": 8}})");
    subscribe({});
    constexpr int kMessages = 4000;
    constexpr int kKeys = 50;
    for (int i = 0; i < kMessages; ++i) publish(std::to_string(i), {.key = "key" + std::to_string(i % kKeys)});
    flush();
    std::map<std::string, std::pair<std::uint16_t, int>> seen;
    std::map<std::uint16_t, int> partitions;
    for (int i = 0; i < kMessages; ++i) {
        auto const message = subscriber.receive(kPatience);
        ASSERT_TRUE(message) << i;
        auto const number = std::stoi(std::string{message->payload});
        auto const [at, isNew] = seen.try_emplace(std::string{message->key()}, message->partition, number);
        if (!isNew) {
            EXPECT_EQ(at->second.first, message->partition);
            EXPECT_EQ(number, at->second.second + kKeys);
            at->second.second = number;
        }
        ++partitions[message->partition];
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(kKeys));
    EXPECT_GT(partitions.size(), 4U);
}

TEST_F(Properties, both_sides_may_name_a_partition) {
    create(R"({"name": "t", "settings": {"partitions": 3}})");
    subscribe({.partition = 1});
    for (std::uint16_t i = 0; i < 3; ++i) publish("to " + std::to_string(i), {.partition = i});
    flush();
    publish("end", {.partition = 1});
    flush();
    EXPECT_EQ(next(), "to 1");
    EXPECT_EQ(next(), "end");
    EXPECT_EQ(publisher.publish("t", "x", {.partition = 3}), Error::noSuchPartition);
}

TEST_F(Properties, a_partition_that_turns_out_not_to_exist_is_told_with_the_messages_that_are_lost_by_it) {
    publisher.onPublishFailed([&](std::string_view, std::uint64_t, Error code, std::string_view) { failures.add(code); });
    publish("x", {.partition = 5});
    EXPECT_EQ(publisher.flush(kPatience), Error::noSuchPartition);
    ASSERT_TRUE(failures.waitFor(1));
    EXPECT_THAT(failures.all(), ElementsAre(Error::noSuchPartition));
    publish("the link is as good as before");
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.stats().refused, 1U);
}

TEST_F(Properties, the_publisher_knows_how_many_subscriptions_listen) {
    EXPECT_EQ(publisher.subscriptions("t"), std::nullopt);
    publish("nobody");
    flush();
    EXPECT_EQ(publisher.subscriptions("t"), 0U);
    EXPECT_EQ(publisher.stats().unheard, 1U);
    subscribe({});
    subscribe({});
    publish("two");
    flush();
    EXPECT_EQ(publisher.subscriptions("t"), 2U);
    EXPECT_EQ(publisher.stats().unheard, 1U);
}

TEST_F(Properties, a_late_subscription_gets_the_last_message_the_last_of_each_key_or_all_that_is_kept) {
    create(R"({"name": "t", "settings": {"retain_bytes": 1000000}})");
    publish("a1", {.key = "a"});
    publish("b1", {.key = "b"});
    publish("a2", {.key = "a"});
    flush();
    subscribe({.start = Start::last(1)});
    EXPECT_EQ(next(), "a2");
    ASSERT_EQ(subscriber.unsubscribe("t"), Error::ok);
    subscribe({.start = Start::lastPerKey()});
    EXPECT_THAT((std::vector{next(), next()}), UnorderedElementsAre("b1", "a2"));
    ASSERT_EQ(subscriber.unsubscribe("t"), Error::ok);
    subscribe({.start = Start::earliest()});
    EXPECT_THAT((std::vector{next(), next(), next()}), UnorderedElementsAre("a1", "b1", "a2"));
}

TEST_F(Properties, an_offset_that_is_not_there_is_told_as_a_gap) {
    subscriber.onGap([&](std::string_view, std::uint16_t, std::uint64_t missing, std::uint64_t available) {
        gaps.add(missing);
        gaps.add(available);
    });
    publish("0");
    flush();
    subscribe({.start = Start::offset(7)});
    publish("1");
    flush();
    EXPECT_EQ(next(), "1");
    ASSERT_TRUE(gaps.waitFor(2));
    EXPECT_THAT(gaps.all(), ElementsAre(7U, 1U));
}

TEST_F(Properties, without_echo_a_process_does_not_hear_itself) {
    subscribe({.noEcho = true});
    publish("own");
    flush();
    EXPECT_EQ(publisher.subscriptions("t"), 0U);
    ASSERT_EQ(subscriber.unsubscribe("t"), Error::ok);
    subscribe({});
    publish("heard");
    flush();
    EXPECT_EQ(next(), "heard");
}

TEST_F(Properties, a_policy_that_the_topic_does_not_offer_is_refused) {
    create(R"({"name": "t"})");
    ASSERT_EQ(subscriber.subscribe("t", SubscribeOptions{.slowConsumer = SlowConsumer::conflate}).error(), Error::ok);
    EXPECT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::policyNotAllowed);
}

}  // namespace
}  // namespace gazellemq::client
