#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "FakeClient.hpp"
#include "Headed.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;
using test::Headed;
using test::keyed;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BrokerPartitions : public testing::Test {
  protected:
    static Limits patient() {
        Limits limits;
        limits.heartbeat = std::chrono::hours{1};
        return limits;
    }
    void SetUp() override {
        TopicSettings settings;
        settings.partitions = 4;
        ASSERT_EQ(hub.broker().createTopic("t", settings), Error::ok);
        publisher.open(1, "t");
    }
    Topic& topic() { return *hub.broker().findTopic("t"); }
    static Error subscribe(FakeClient& client, std::uint16_t partition, std::string_view pattern = "t") {
        Subscribe subscribe;
        subscribe.subscription = 1;
        subscribe.pattern = pattern;
        subscribe.partition = partition;
        return client.subscribe(subscribe);
    }

    FakeHub hub{patient()};
    FakeClient publisher{hub};
    FakeClient reader{hub};
};

TEST_F(BrokerPartitions, their_number_is_told_when_the_topic_is_opened) {
    EXPECT_EQ(publisher.last<Reply>()->partitions, 4);
    publisher.open(2, "made.by.use");
    EXPECT_EQ(publisher.last<Reply>()->partitions, 1);
}

TEST_F(BrokerPartitions, each_has_offsets_of_its_own) {
    reader.subscribe(1, "t");
    for (std::uint32_t partition = 1; partition <= 4; ++partition) {
        publisher.publishHeaded(1, {{"a"}, {"b"}}, partition);
        publisher.publishHeaded(1, {{"c"}}, partition);
    }
    std::map<std::uint16_t, std::vector<std::uint64_t>> offsets;
    for (auto const& message : reader.messages) offsets[message.partition].push_back(message.offset);
    EXPECT_THAT(offsets, SizeIs(4));
    for (auto const& [partition, list] : offsets) EXPECT_THAT(list, ElementsAre(0, 1, 2)) << partition;
    EXPECT_FALSE(reader.brokenStream);
    EXPECT_THAT(reader.all<TopicNamed>(), SizeIs(1)) << "the topic is announced once";
}

TEST_F(BrokerPartitions, batches_without_keys_go_round) {
    reader.subscribe(1, "t");
    for (int i = 0; i < 8; ++i) publisher.publish(1, std::to_string(i));
    std::map<std::uint16_t, int> counts;
    for (auto const& message : reader.messages) ++counts[message.partition];
    EXPECT_THAT(counts, ElementsAre(std::pair{0, 2}, std::pair{1, 2}, std::pair{2, 2}, std::pair{3, 2}));
}

TEST_F(BrokerPartitions, a_batch_with_keys_is_split_by_the_hub_when_its_partition_is_left_open) {
    reader.subscribe(1, "t");
    std::vector<std::string> keys;
    for (int i = 0; i < 20; ++i) keys.push_back("key-" + std::to_string(i));
    std::vector<Headed> batch;
    for (int i = 0; i < 100; ++i) batch.push_back(keyed(std::to_string(i), keys[static_cast<std::size_t>(i) % keys.size()]));
    publisher.publishHeaded(1, batch);
    ASSERT_THAT(reader.messages, SizeIs(100));
    std::map<std::uint16_t, int> last;
    for (auto const& message : reader.messages) {
        auto const number = std::stoi(message.payload);
        EXPECT_EQ(message.partition, partitionOf(keys[static_cast<std::size_t>(number) % keys.size()], 4));
        if (last.contains(message.partition)) {
            EXPECT_GT(number, last[message.partition]) << "order holds in each partition";
        }
        last[message.partition] = number;
    }
    EXPECT_FALSE(reader.brokenStream);
    hub.advance(std::chrono::milliseconds{5});
    EXPECT_EQ(publisher.lastConfirm(1).sequence, 100U);
}

TEST_F(BrokerPartitions, a_batch_that_the_hub_would_have_to_split_must_be_whole) {
    auto batch = test::makeHeadedBatch({keyed("a", "k"), keyed("b", "l")});
    batch.back() ^= std::byte{1};
    publisher.write(test::publishFrame(1, batch));
    EXPECT_EQ(publisher.goodbye(), Error::protocolViolation);
    EXPECT_EQ(topic().messages(), 0U);
}

TEST_F(BrokerPartitions, one_that_the_topic_does_not_have_is_a_violation) {
    publisher.publishHeaded(1, {{"a"}}, 5);
    EXPECT_EQ(publisher.goodbye(), Error::protocolViolation);
}

TEST_F(BrokerPartitions, a_subscription_can_read_one) {
    EXPECT_EQ(subscribe(reader, 3), Error::ok);
    for (std::uint32_t partition = 1; partition <= 4; ++partition) publisher.publishHeaded(1, {{std::to_string(partition)}}, partition);
    EXPECT_THAT(reader.payloads(), ElementsAre("3"));
    FakeClient other{hub};
    EXPECT_EQ(subscribe(other, 5), Error::noSuchPartition);
    FakeClient everywhere{hub};
    EXPECT_EQ(subscribe(everywhere, 5, ">"), Error::ok) << "a pattern reads it in the topics that have it";
    publisher.publishHeaded(1, {{"again"}}, 1);
    EXPECT_THAT(everywhere.payloads(), IsEmpty());
}

TEST_F(BrokerPartitions, a_deleted_topic_is_told_once_to_each_subscription) {
    reader.subscribe(1, "t");
    for (std::uint32_t partition = 1; partition <= 4; ++partition) publisher.publishHeaded(1, {{"a"}}, partition);
    hub.broker().deleteTopic("t");
    hub.settle();
    EXPECT_THAT(reader.all<TopicGone>(), SizeIs(1));
    EXPECT_FALSE(reader.brokenStream);
}

TEST_F(BrokerPartitions, drops_are_told_for_the_topic_and_exact) {
    TopicSettings settings;
    settings.partitions = 2;
    settings.windowBytes = 128 * 1024;
    settings.slowConsumer = SlowPolicy::dropOldest;
    hub.broker().createTopic("small", settings);
    publisher.open(2, "small");
    reader.reads = false;
    reader.subscribe(1, "small");
    reader.read();
    std::uint64_t published = 0;
    for (int i = 0; i < 2000 && publisher.mayPublish(2); ++i, ++published) publisher.publish(2, std::string(1000, 'x'));
    reader.reads = true;
    reader.read();
    hub.settle();
    EXPECT_EQ(published, 2000U);
    EXPECT_GT(reader.dropped["small"], 0U);
    EXPECT_EQ(reader.dropped["small"] + reader.messages.size(), published);
    auto const& counters = hub.broker().findTopic("small")->counters;
    EXPECT_EQ(counters.dropped.windowFull, reader.dropped["small"]);
    EXPECT_EQ(counters.messagesOut, reader.messages.size());
}

TEST_F(BrokerPartitions, a_topic_that_was_made_by_its_use_is_replaced_only_while_nobody_uses_it) {
    TopicSettings settings;
    settings.partitions = 3;
    publisher.open(2, "u");
    EXPECT_EQ(hub.broker().createTopic("u", settings), Error::topicExists) << "a log cannot be divided afterwards";
    publisher.send(CloseTopic{2});
    EXPECT_EQ(hub.broker().createTopic("u", settings), Error::ok);
    EXPECT_EQ(hub.broker().findTopic("u")->partitionCount(), 3);
}

TEST_F(BrokerPartitions, the_window_is_shared_as_credit) {
    reader.reads = false;
    reader.subscribe(1, "t");
    reader.read();
    std::uint64_t sent = 0;
    while (publisher.mayPublish(1) && sent < 100'000) {
        publisher.publish(1, std::string(10'000, 'x'));
        ++sent;
    }
    EXPECT_LT(topic().bytes(), topic().settings().windowBytes + 1024 * 1024);
    EXPECT_GT(topic().bytes(), topic().settings().windowBytes / 2);
}

TEST_F(BrokerPartitions, confirms_tell_how_many_subscriptions_a_batch_went_to) {
    publisher.publishHeaded(1, {{"nobody"}, {"listens"}});
    hub.advance(std::chrono::milliseconds{5});
    EXPECT_EQ(publisher.lastConfirm(1).subscriptions, 0U);
    EXPECT_EQ(publisher.lastConfirm(1).unheard, 2U);
    reader.subscribe(1, "t");
    FakeClient second{hub};
    subscribe(second, 1);
    publisher.publishHeaded(1, {{"both"}}, 1);
    hub.advance(std::chrono::milliseconds{5});
    EXPECT_EQ(publisher.lastConfirm(1).subscriptions, 2U);
    publisher.publishHeaded(1, {{"one"}}, 2);
    hub.advance(std::chrono::milliseconds{5});
    EXPECT_EQ(publisher.lastConfirm(1).subscriptions, 1U);
    EXPECT_EQ(publisher.lastConfirm(1).unheard, 2U);
    EXPECT_EQ(topic().counters.messagesUnheard, 2U);
}

}  // namespace
}  // namespace gazellemq::hub
