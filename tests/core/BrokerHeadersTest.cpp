#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"
#include "Headed.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using namespace std::chrono_literals;
using test::brief;
using test::FakeClient;
using test::FakeHub;
using test::Headed;
using test::keyed;
using testing::ElementsAre;
using testing::IsEmpty;

/// What the hub does by the headers of messages: expiry, the newest of a key, producers that a subscription does not hear.
class BrokerHeaders : public testing::Test {
  protected:
    static Limits patient() {
        Limits limits;
        limits.heartbeat = std::chrono::hours{1};
        limits.stallLimit = std::chrono::hours{1};
        return limits;
    }
    void SetUp() override { publisher.open(1, "t"); }

    Subscribe with(SlowPolicy policy) {
        TopicSettings settings;
        settings.choice.allow(policy);
        hub.broker().changeTopic(topic(), settings);
        Subscribe subscribe;
        subscribe.subscription = 1;
        subscribe.pattern = "t";
        subscribe.policy = static_cast<std::uint8_t>(static_cast<unsigned>(policy) + 1);
        return subscribe;
    }
    Topic& topic() { return *hub.broker().findTopic("t"); }

    FakeHub hub{patient()};
    FakeClient publisher{hub};
    FakeClient reader{hub};
};

TEST_F(BrokerHeaders, a_message_that_has_expired_is_not_delivered_and_is_counted) {
    reader.subscribe(1, "t", 1);
    publisher.publish(1, "uses the credit up");
    publisher.publishHeaded(1, {brief("short", 100), brief("long", 10'000), Headed{"for ever"}});
    hub.advance(200ms);
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_THAT(reader.payloads(), ElementsAre("uses the credit up", "long", "for ever"));
    EXPECT_THAT(reader.offsets(), ElementsAre(0, 2, 3));
    EXPECT_EQ(topic().counters.messagesExpired, 1U);
    EXPECT_EQ(hub.broker().counters().messagesExpired, 1U);
    EXPECT_EQ(topic().counters.messagesOut, 3U);
    EXPECT_FALSE(reader.brokenStream);
}

TEST_F(BrokerHeaders, a_message_in_time_is_delivered_as_it_came) {
    reader.subscribe(1, "t");
    publisher.publishHeaded(1, {brief("a", 1), brief("b", 1)});
    EXPECT_THAT(reader.payloads(), ElementsAre("a", "b"));
    EXPECT_EQ(topic().counters.messagesExpired, 0U);
}

TEST_F(BrokerHeaders, a_batch_that_has_expired_as_a_whole_is_passed_over) {
    reader.subscribe(1, "t", 1);
    publisher.publish(1, "first");
    for (int i = 0; i < 1000; ++i) publisher.publishHeaded(1, {brief("late", 10)});
    publisher.publish(1, "last");
    hub.advance(20ms);
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_THAT(reader.payloads(), ElementsAre("first", "last"));
    EXPECT_EQ(topic().counters.messagesExpired, 1000U);
}

TEST_F(BrokerHeaders, retained_messages_expire_too) {
    publisher.publishHeaded(1, {brief("old", 10), Headed{"stays"}});
    hub.advance(20ms);
    Subscribe subscribe;
    subscribe.subscription = 1;
    subscribe.pattern = "t";
    subscribe.start = StartKind::lastPerKey;
    reader.subscribe(subscribe);
    EXPECT_THAT(reader.payloads(), ElementsAre("stays"));
    FakeClient all{hub};
    subscribe.start = StartKind::earliest;
    all.subscribe(subscribe);
    EXPECT_THAT(all.payloads(), ElementsAre("stays"));
}

TEST_F(BrokerHeaders, a_ttl_that_cannot_be_read_is_a_violation) {
    auto batch = test::makeHeadedBatch({brief("abc", 1)});
    store(batch.data() + BatchHeader::kBytes + 4, std::uint16_t{2});
    publisher.write(test::publishFrame(1, batch));
    EXPECT_EQ(publisher.goodbye(), Error::protocolViolation);
}

TEST_F(BrokerHeaders, a_conflating_reader_in_time_gets_everything) {
    reader.subscribe(with(SlowPolicy::conflate));
    for (auto const* payload : {"a1", "a2", "a3"}) publisher.publishHeaded(1, {keyed(payload, "a")});
    EXPECT_THAT(reader.payloads(), ElementsAre("a1", "a2", "a3"));
}

TEST_F(BrokerHeaders, a_conflating_reader_that_is_behind_gets_the_newest_of_each_key) {
    auto subscribe = with(SlowPolicy::conflate);
    subscribe.credit = 1;
    reader.subscribe(subscribe);
    publisher.publishHeaded(1, {keyed("a0", "a")});
    for (int i = 1; i <= 100; ++i) publisher.publishHeaded(1, {keyed("a" + std::to_string(i), "a"), keyed("b" + std::to_string(i), "b")});
    publisher.publish(1, "no key 1");
    publisher.publish(1, "no key 2");
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_THAT(reader.payloads(), ElementsAre("a0", "a100", "b100", "no key 2"));
    EXPECT_EQ(topic().counters.messagesConflated, 199U);
    EXPECT_EQ(topic().counters.dropped.total(), 0U);
    EXPECT_THAT(reader.dropped, IsEmpty()) << "it asked for it";
    auto const& counters = topic().counters;
    EXPECT_EQ(counters.messagesIn, counters.messagesOut + counters.messagesConflated);
}

TEST_F(BrokerHeaders, a_conflating_reader_never_slows_and_keeps_the_newest_of_a_rare_key) {
    auto subscribe = with(SlowPolicy::conflate);
    subscribe.credit = 1;
    reader.subscribe(subscribe);
    publisher.publishHeaded(1, {keyed("first", "a")});
    publisher.publishHeaded(1, {keyed("rare", "rare")});
    std::string const filler(1000, 'x');
    std::uint64_t published = 2;
    for (; published < 30'000; ++published) {
        ASSERT_TRUE(publisher.mayPublish(1));
        publisher.publishHeaded(1, {keyed(filler, "busy")});
    }
    EXPECT_LT(topic().bytes(), 200'000U) << "three windows' worth was published";
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_THAT(reader.payloads(), ElementsAre("first", "rare", filler));
    EXPECT_EQ(topic().counters.messagesConflated, published - 3);
}

TEST_F(BrokerHeaders, a_conflating_reader_with_more_keys_than_the_window_holds_is_told_what_it_lost) {
    auto subscribe = with(SlowPolicy::conflate);
    auto settings = topic().settings();
    settings.windowBytes = 64 * 1024;
    hub.broker().changeTopic(topic(), settings);
    subscribe.credit = 1;
    reader.subscribe(subscribe);
    std::string const filler(1000, 'x');
    std::vector<std::string> keys;
    for (int i = 0; i < 1000; ++i) keys.push_back(std::to_string(i));
    for (auto const& key : keys) publisher.publishHeaded(1, {keyed(filler, key)});
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_GT(reader.messages.size(), 40U);
    EXPECT_EQ(reader.dropped["t"] + reader.messages.size(), keys.size());
    EXPECT_EQ(topic().counters.dropped.windowFull, reader.dropped["t"]);
}

TEST_F(BrokerHeaders, a_subscription_can_leave_out_the_producers_of_its_own_process) {
    Subscribe subscribe;
    subscribe.subscription = 1;
    subscribe.pattern = "t";
    subscribe.notFrom = 0x1234'5678'9ABC'0001;
    reader.subscribe(subscribe);
    publisher.publishHeaded(1, {{"echo"}}, 0, 0x1234'5678'9ABC'0001);
    publisher.publishHeaded(1, {{"echo of another object"}}, 0, 0x1234'5678'9ABC'FFFF);
    publisher.publishHeaded(1, {{"other"}}, 0, 0x1234'5678'9ABD'0001);
    EXPECT_THAT(reader.payloads(), ElementsAre("other"));
    hub.advance(5ms);
    EXPECT_EQ(publisher.lastConfirm(1).unheard, 2U) << "nobody but itself listened";
    EXPECT_EQ(publisher.lastConfirm(1).subscriptions, 1U);
}

}  // namespace
}  // namespace gazellemq::hub
