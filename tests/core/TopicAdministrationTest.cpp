#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::uint8_t chosen(SlowPolicy policy) { return static_cast<std::uint8_t>(static_cast<unsigned>(policy) + 1); }

/// What administrators do to topics, and what publishers and readers see of it.
class TopicAdministration : public testing::Test {
  protected:
    /// The fake clients do not answer heartbeats.
    static Limits patient() {
        Limits limits;
        limits.heartbeat = std::chrono::hours{1};
        return limits;
    }
    static Limits onlyCreated() {
        auto limits = patient();
        limits.autoCreate = false;
        return limits;
    }
    Broker& broker() { return hub.broker(); }

    FakeHub hub{patient()};
    FakeClient publisher{hub};
    FakeClient reader{hub};
};

TEST_F(TopicAdministration, a_created_topic_stays_when_nobody_uses_it) {
    EXPECT_EQ(broker().createTopic("kept", {}), Error::ok);
    publisher.open(1, "made.by.use");
    publisher.send(CloseTopic{1});
    hub.advance(broker().limits().idleTopicTtl * 2);
    EXPECT_TRUE(broker().findTopic("kept"));
    EXPECT_FALSE(broker().findTopic("made.by.use"));
}

TEST_F(TopicAdministration, a_topic_is_created_once_and_one_that_its_use_has_made_is_taken_over) {
    TopicSettings settings;
    settings.windowBytes = 100'000;
    publisher.open(1, "t");
    EXPECT_EQ(broker().createTopic("t", settings), Error::ok);
    EXPECT_EQ(broker().findTopic("t")->settings(), settings);
    EXPECT_EQ(broker().createTopic("t", {}), Error::topicExists);
    EXPECT_EQ(broker().findTopic("t")->settings(), settings);
    EXPECT_EQ(broker().topicCount(), 1U);
}

TEST_F(TopicAdministration, names_that_break_a_rule_are_refused) {
    EXPECT_EQ(broker().createTopic("", {}), Error::nameEmpty);
    EXPECT_EQ(broker().createTopic("a.*", {}), Error::nameWildcard);
    EXPECT_EQ(broker().createTopic(std::string(256, 'x'), {}), Error::nameTooLong);
    EXPECT_EQ(broker().deleteTopic("never.there"), Error::noSuchTopic);
}

TEST_F(TopicAdministration, without_autoCreate_publishers_are_refused_and_subscriptions_by_name_wait) {
    FakeHub strict{onlyCreated()};
    FakeClient writer{strict};
    FakeClient waiting{strict};
    EXPECT_EQ(writer.open(1, "t"), Error::noSuchTopic);
    EXPECT_EQ(waiting.subscribe(1, "t"), Error::ok);
    EXPECT_EQ(strict.broker().topicCount(), 0U);
    EXPECT_EQ(strict.broker().createTopic("t", {}), Error::ok);
    EXPECT_EQ(writer.open(1, "t"), Error::ok);
    writer.publish(1, "first");
    EXPECT_THAT(waiting.payloads(), ElementsAre("first"));
}

TEST_F(TopicAdministration, a_waiting_subscription_can_be_given_up) {
    FakeHub strict{onlyCreated()};
    {
        FakeClient gone{strict};
        gone.subscribe(1, "t");
    }
    FakeClient waiting{strict};
    waiting.subscribe(1, "t");
    waiting.subscribe(2, "t");
    EXPECT_EQ(waiting.unsubscribe(1), Error::ok);
    EXPECT_EQ(strict.broker().createTopic("t", {}), Error::ok);
    EXPECT_THAT(strict.broker().findTopic("t")->readers(), SizeIs(1));
}

TEST_F(TopicAdministration, deleting_tells_publishers_and_readers_and_counts_what_was_not_delivered) {
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    FakeClient byWildcard{hub};
    byWildcard.subscribe(1, ">");
    for (int i = 0; i < 10; ++i) publisher.publish(1, "x");
    EXPECT_EQ(broker().deleteTopic("t"), Error::ok);
    hub.settle();
    EXPECT_EQ(broker().topicCount(), 0U);
    auto const notice = publisher.last<Notice>();
    ASSERT_TRUE(notice);
    EXPECT_EQ(notice->code, Error::topicDeleted);
    EXPECT_EQ(notice->handle, 1U);
    EXPECT_EQ(publisher.lastConfirm(1).sequence, 10U) << "what was accepted is confirmed";
    EXPECT_EQ(reader.dropped["t"], 10U);
    ASSERT_TRUE(reader.last<TopicGone>());
    EXPECT_EQ(reader.last<TopicGone>()->code, Error::topicDeleted);
    EXPECT_THAT(byWildcard.messages, SizeIs(10));
    EXPECT_EQ(byWildcard.last<TopicGone>()->code, Error::topicDeleted);
    EXPECT_EQ(hub.pool().bytesInUse(), 0U);
    EXPECT_EQ(broker().counters().dropped.total(), 10U);
}

TEST_F(TopicAdministration, what_comes_for_a_deleted_topic_is_not_taken_until_it_is_opened_anew) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    broker().deleteTopic("t");
    EXPECT_TRUE(publisher.publish(1, "too late")) << "it may have crossed the notice";
    EXPECT_THAT(reader.payloads(), IsEmpty());
    EXPECT_EQ(broker().counters().batchesRefused, 1U);
    publisher.send(CloseTopic{1});
    EXPECT_EQ(publisher.open(1, "t"), Error::ok);
    publisher.publish(1, "in time");
    EXPECT_THAT(reader.payloads(), ElementsAre("in time")) << "the subscription has waited";
    EXPECT_FALSE(reader.brokenStream);
}

TEST_F(TopicAdministration, a_publisher_of_a_deleted_topic_may_leave) {
    auto leaving = std::make_unique<FakeClient>(hub);
    leaving->open(1, "t");
    broker().deleteTopic("t");
    leaving.reset();
    EXPECT_EQ(broker().createTopic("t", {}), Error::ok);
}

TEST_F(TopicAdministration, a_paused_topic_keeps_what_comes_and_delivers_it_when_it_is_resumed) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    publisher.publish(1, "before");
    broker().pauseTopic(*broker().findTopic("t"), true);
    publisher.publish(1, "meanwhile");
    hub.advance(broker().limits().stallLimit * 2);
    EXPECT_THAT(reader.payloads(), ElementsAre("before"));
    EXPECT_EQ(reader.goodbye(), Error::ok) << "it is not its fault";
    broker().pauseTopic(*broker().findTopic("t"), false);
    hub.settle();
    EXPECT_THAT(reader.payloads(), ElementsAre("before", "meanwhile"));
    publisher.publish(1, "after");
    EXPECT_THAT(reader.payloads(), ElementsAre("before", "meanwhile", "after"));
}

TEST_F(TopicAdministration, pausing_holds_what_waits_for_credit_too) {
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    publisher.publish(1, "waits for credit");
    broker().pauseTopic(*broker().findTopic("t"), true);
    reader.send(Credit{1, 1'000'000});
    EXPECT_THAT(reader.payloads(), IsEmpty());
    broker().pauseTopic(*broker().findTopic("t"), false);
    hub.settle();
    EXPECT_THAT(reader.payloads(), ElementsAre("waits for credit"));
}

TEST_F(TopicAdministration, purging_gives_up_what_waits_and_feeds_the_publishers) {
    std::string const payload(20'000, 'x');
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    auto const published = publisher.publishAll(1, payload);
    ASSERT_FALSE(publisher.mayPublish(1));
    EXPECT_EQ(broker().purgeTopic(*broker().findTopic("t")), published);
    hub.settle();
    EXPECT_EQ(hub.pool().bytesInUse(), 0U);
    EXPECT_TRUE(publisher.mayPublish(1));
    publisher.publish(1, "next");
    reader.send(Credit{1, 1'000'000});
    EXPECT_EQ(reader.dropped["t"], published);
    EXPECT_THAT(reader.payloads(), ElementsAre("next"));
}

TEST_F(TopicAdministration, a_changed_window_holds_from_the_next_message_on) {
    std::string const payload(20'000, 'x');
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    auto const before = publisher.publishAll(1, payload);
    TopicSettings larger = broker().findTopic("t")->settings();
    larger.windowBytes *= 2;
    broker().changeTopic(*broker().findTopic("t"), larger);
    hub.settle();
    auto const more = publisher.publishAll(1, payload);
    EXPECT_GE(more, before / 2);
    TopicSettings smaller = larger;
    smaller.windowBytes = 64 * 1024;
    broker().changeTopic(*broker().findTopic("t"), smaller);
    EXPECT_EQ(publisher.publishAll(1, payload), 0U);
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_THAT(reader.messages, SizeIs(before + more)) << "nothing that was promised is lost";
}

TEST_F(TopicAdministration, a_subscription_chooses_among_the_policies_that_the_topic_allows) {
    TopicSettings settings;
    settings.choice.allow(SlowPolicy::disconnect);
    broker().createTopic("t", settings);
    auto const policyOf = [&](std::uint8_t policy) {
        FakeClient client{hub};
        client.send(Subscribe{++client.requests, 1, 0, "t", policy});
        auto const reply = client.last<Reply>();
        EXPECT_TRUE(reply);
        if (reply->code != Error::ok) {
            EXPECT_EQ(reply->code, Error::policyNotAllowed);
            return std::optional<SlowPolicy>{};
        }
        return std::optional{broker().findTopic("t")->readers().front()->policy};
    };
    EXPECT_EQ(policyOf(0), SlowPolicy::block);
    EXPECT_EQ(policyOf(chosen(SlowPolicy::block)), SlowPolicy::block);
    EXPECT_EQ(policyOf(chosen(SlowPolicy::disconnect)), SlowPolicy::disconnect);
    EXPECT_EQ(policyOf(chosen(SlowPolicy::dropOldest)), std::nullopt);
}

TEST_F(TopicAdministration, a_wildcard_gets_its_choice_where_it_is_allowed) {
    TopicSettings settings;
    settings.choice.allow(SlowPolicy::block);
    broker().createTopic("allows", settings);
    broker().createTopic("does.not", {});
    reader.send(Subscribe{++reader.requests, 1, 0, ">", chosen(SlowPolicy::block)});
    EXPECT_EQ(broker().findTopic("allows")->readers().front()->policy, SlowPolicy::block);
    EXPECT_EQ(broker().findTopic("does.not")->readers().front()->policy, SlowPolicy::dropOldest);
}

TEST_F(TopicAdministration, a_policy_that_there_is_not_is_a_violation) {
    reader.send(Subscribe{++reader.requests, 1, 0, "t", 5});
    EXPECT_EQ(reader.goodbye(), Error::protocolViolation);
}

TEST_F(TopicAdministration, subscriptions_and_publishers_can_be_limited) {
    TopicSettings settings;
    settings.maxSubscriptions = 1;
    settings.maxPublishers = 1;
    broker().createTopic("t", settings);
    EXPECT_EQ(publisher.open(1, "t"), Error::ok);
    EXPECT_EQ(publisher.open(2, "t"), Error::tooManyPublishersOfTopic);
    EXPECT_EQ(reader.subscribe(1, "t"), Error::ok);
    EXPECT_EQ(reader.subscribe(2, "t"), Error::tooManySubscriptionsToTopic);
}

TEST_F(TopicAdministration, counters_of_a_topic_agree_with_what_passed) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    FakeClient stuck{hub};
    stuck.subscribe(1, "t", 0);
    for (int i = 0; i < 7; ++i) publisher.publish(1, std::vector<std::string>{"a", "b"});
    broker().purgeTopic(*broker().findTopic("t"));
    auto const& counters = broker().findTopic("t")->counters;
    EXPECT_EQ(counters.messagesIn, 14U);
    EXPECT_EQ(counters.messagesOut, 14U);
    EXPECT_EQ(counters.dropped.total(), 14U);
    EXPECT_EQ(counters.bytesIn, counters.bytesOut);
}

}  // namespace
}  // namespace gazellemq::hub
