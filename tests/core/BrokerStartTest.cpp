#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"
#include "Headed.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;
using test::keyed;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Where a subscription begins in what a topic's window holds.
class BrokerStart : public testing::Test {
  protected:
    static Limits withWindow(std::size_t window, std::size_t retain) {
        Limits limits;
        limits.heartbeat = std::chrono::hours{1};
        limits.windowBytes = window;
        limits.retainBytes = retain;
        return limits;
    }
    void SetUp() override { publisher.open(1, "t"); }

    static Error start(FakeClient& client, StartKind kind, std::uint64_t value = 0, std::string_view pattern = "t", std::uint32_t id = 1) {
        Subscribe subscribe;
        subscribe.subscription = id;
        subscribe.pattern = pattern;
        subscribe.start = kind;
        subscribe.startValue = value;
        return client.subscribe(subscribe);
    }

    FakeHub hub{withWindow(1 << 20, 64 * 1024)};
    FakeClient publisher{hub};
    FakeClient reader{hub};
};

TEST_F(BrokerStart, at_the_latest_gives_what_comes_from_then_on) {
    publisher.publish(1, "before");
    reader.subscribe(1, "t");
    publisher.publish(1, "after");
    EXPECT_THAT(reader.payloads(), ElementsAre("after"));
}

TEST_F(BrokerStart, at_the_earliest_gives_all_that_is_there_and_goes_on) {
    publisher.publish(1, std::vector<std::string>{"a", "b"});
    publisher.publish(1, "c");
    EXPECT_EQ(start(reader, StartKind::earliest), Error::ok);
    publisher.publish(1, "d");
    EXPECT_THAT(reader.payloads(), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(reader.offsets(), ElementsAre(0, 1, 2, 3));
}

TEST_F(BrokerStart, with_the_last_one_gives_a_retained_value) {
    publisher.publish(1, std::vector<std::string>{"a", "b"});
    publisher.publish(1, std::vector<std::string>{"c", "d"});
    start(reader, StartKind::last, 1);
    EXPECT_THAT(reader.payloads(), ElementsAre("d"));
    EXPECT_THAT(reader.offsets(), ElementsAre(3));
    publisher.publish(1, "e");
    EXPECT_THAT(reader.payloads(), ElementsAre("d", "e"));
}

TEST_F(BrokerStart, with_the_last_ones_may_begin_within_a_batch_and_gives_no_more_than_there_are) {
    publisher.publish(1, std::vector<std::string>{"a", "b"});
    publisher.publish(1, std::vector<std::string>{"c", "d"});
    start(reader, StartKind::last, 3);
    EXPECT_THAT(reader.payloads(), ElementsAre("b", "c", "d"));
    FakeClient all{hub};
    start(all, StartKind::last, 1000);
    EXPECT_THAT(all.payloads(), ElementsAre("a", "b", "c", "d"));
    FakeClient none{hub};
    start(none, StartKind::last, 0);
    EXPECT_THAT(none.payloads(), IsEmpty());
}

TEST_F(BrokerStart, with_the_last_of_each_key_gives_a_retained_value_for_each) {
    publisher.publishHeaded(1, {keyed("a1", "a"), keyed("b1", "b")});
    publisher.publishHeaded(1, {keyed("a2", "a"), keyed("c1", "c")});
    start(reader, StartKind::lastPerKey);
    EXPECT_THAT(reader.payloads(), ElementsAre("b1", "a2", "c1"));
    publisher.publishHeaded(1, {keyed("a3", "a")});
    EXPECT_THAT(reader.payloads(), ElementsAre("b1", "a2", "c1", "a3"));
}

TEST_F(BrokerStart, at_an_offset_gives_it_and_what_follows) {
    publisher.publish(1, {"a", "b", "c"});
    publisher.publish(1, "d");
    start(reader, StartKind::offset, 1);
    EXPECT_THAT(reader.payloads(), ElementsAre("b", "c", "d"));
    EXPECT_THAT(reader.all<Gap>(), IsEmpty());
    FakeClient next{hub};
    start(next, StartKind::offset, 4);
    publisher.publish(1, "e");
    EXPECT_THAT(next.payloads(), ElementsAre("e"));
    EXPECT_THAT(next.all<Gap>(), IsEmpty());
}

TEST_F(BrokerStart, at_an_offset_that_is_gone_tells_the_gap) {
    FakeHub small{withWindow(64 * 1024, 2000)};
    FakeClient writer{small};
    writer.open(1, "t");
    for (int i = 0; i < 10; ++i) writer.publish(1, std::string(900, static_cast<char>('0' + i)));
    FakeClient late{small};
    start(late, StartKind::offset, 3);
    auto const gap = late.last<Gap>();
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->subscription, 1U);
    EXPECT_EQ(gap->partition, 0);
    EXPECT_EQ(gap->firstMissing, 3U);
    EXPECT_EQ(gap->firstAvailable, 8U);
    EXPECT_THAT(late.offsets(), ElementsAre(8, 9));
}

TEST_F(BrokerStart, at_an_offset_that_is_not_there_yet_begins_with_what_comes_and_tells_so) {
    publisher.publish(1, "a");
    start(reader, StartKind::offset, 1000);
    auto const gap = reader.last<Gap>();
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->firstMissing, 1000U);
    EXPECT_EQ(gap->firstAvailable, 1U);
    publisher.publish(1, "b");
    EXPECT_THAT(reader.payloads(), ElementsAre("b"));
}

TEST_F(BrokerStart, of_a_wildcard_holds_in_every_topic) {
    publisher.open(2, "u");
    publisher.publish(1, std::vector<std::string>{"t1", "t2"});
    publisher.publish(2, std::vector<std::string>{"u1", "u2"});
    start(reader, StartKind::last, 1, "*");
    EXPECT_THAT(reader.payloads(), testing::UnorderedElementsAre("t2", "u2"));
    publisher.open(3, "v");
    publisher.publish(3, "v1");
    EXPECT_THAT(reader.payloads(), testing::Contains("v1"));
}

TEST_F(BrokerStart, needs_credit_like_everything_else) {
    publisher.publish(1, std::vector<std::string>{"a", "b"});
    Subscribe subscribe;
    subscribe.subscription = 1;
    subscribe.pattern = "t";
    subscribe.start = StartKind::earliest;
    subscribe.requestId = 1;
    reader.send(subscribe);
    EXPECT_THAT(reader.payloads(), IsEmpty());
    reader.send(Credit{1, 1});
    EXPECT_THAT(reader.payloads(), ElementsAre("a", "b"));
}

TEST_F(BrokerStart, in_a_paused_topic_waits_until_it_is_resumed) {
    publisher.publish(1, "a");
    hub.broker().pauseTopic(*hub.broker().findTopic("t"), true);
    start(reader, StartKind::earliest);
    EXPECT_THAT(reader.payloads(), IsEmpty());
    hub.broker().pauseTopic(*hub.broker().findTopic("t"), false);
    hub.settle();
    EXPECT_THAT(reader.payloads(), ElementsAre("a"));
}

TEST_F(BrokerStart, unknown_to_this_version_is_a_violation) {
    EXPECT_EQ(start(reader, static_cast<StartKind>(5)), Error::timeout);
    EXPECT_EQ(reader.goodbye(), Error::protocolViolation);
}

TEST_F(BrokerStart, blocks_publishers_by_what_the_reader_has_still_to_take) {
    publisher.publish(1, std::string(40'000, 'x'));
    Subscribe subscribe;
    subscribe.subscription = 1;
    subscribe.pattern = "t";
    subscribe.start = StartKind::earliest;
    subscribe.requestId = 1;
    reader.send(subscribe);
    auto const& log = hub.broker().findTopic("t")->partition(0).log();
    EXPECT_GT(log.blockedBytes(), 40'000U);
    reader.unsubscribe(1);
    EXPECT_EQ(log.blockedBytes(), 0U);
}

TEST_F(BrokerStart, the_window_retains_the_newest_and_at_least_the_last_batch) {
    FakeHub small{withWindow(1 << 20, 5000)};
    FakeClient writer{small};
    writer.open(1, "t");
    auto const& log = small.broker().findTopic("t")->partition(0).log();
    for (int i = 0; i < 100; ++i) {
        writer.publish(1, std::string(1000, 'x'));
        EXPECT_LE(log.bytes(), 5000U);
    }
    EXPECT_GT(log.bytes(), 3900U);
    writer.publish(1, std::string(20'000, 'y'));
    EXPECT_EQ(log.messages(), 1U) << "a batch larger than all is kept alone";
}

TEST_F(BrokerStart, without_retention_nothing_is_kept) {
    FakeHub none{withWindow(1 << 20, 0)};
    FakeClient writer{none};
    writer.open(1, "t");
    writer.publish(1, "gone");
    EXPECT_EQ(none.broker().findTopic("t")->bytes(), 0U);
    FakeClient late{none};
    start(late, StartKind::earliest);
    EXPECT_THAT(late.payloads(), IsEmpty());
}

TEST_F(BrokerStart, what_is_retained_gives_way_when_memory_is_needed) {
    auto limits = withWindow(1 << 20, 1 << 20);
    limits.maxMemory = 4 << 20;
    FakeHub small{limits};
    FakeClient writer{small};
    for (std::uint32_t i = 1; i <= 8; ++i) {
        writer.open(i, "t" + std::to_string(i));
        for (int k = 0; k < 20; ++k) {
            writer.publish(i, std::string(30'000, 'x'));
            small.advance(std::chrono::milliseconds{250});
        }
    }
    EXPECT_EQ(writer.goodbye(), Error::ok);
    EXPECT_LE(small.pool().bytesInUse(), limits.maxMemory);
    EXPECT_EQ(small.broker().counters().dropped.total(), 0U) << "nobody had asked for it";
    EXPECT_TRUE(writer.mayPublish(8));
}

TEST_F(BrokerStart, purging_takes_what_is_retained_too) {
    publisher.publish(1, "a");
    hub.broker().purgeTopic(*hub.broker().findTopic("t"));
    start(reader, StartKind::earliest);
    EXPECT_THAT(reader.payloads(), IsEmpty());
    publisher.publish(1, "b");
    EXPECT_THAT(reader.offsets(), ElementsAre(1)) << "offsets are never used again";
}

}  // namespace
}  // namespace gazellemq::hub
