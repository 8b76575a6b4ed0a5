#include "OutboxFixture.hpp"

/// What becomes of messages when links are lost and hubs refuse.
namespace gazellemq::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OutboxLinkTest : public OutboxFixture {
  protected:
    /// Fills the output and writes so many bytes of it before the link is lost.
    void breakAfter(std::size_t bytes) {
        outbox.sealOpen(Outbox::Which::sendable);
        outbox.fill(out, 1 << 30);
        outbox.written(std::min(bytes, out.bytes()));
        out.clear();
        outbox.linkDown();
    }
    void upAndOpen(std::string const& name, std::uint64_t credit = kPlenty) {
        linkUp();
        outbox.openTopics(control);
        confirm(name, 0, credit);
    }
};

TEST_F(OutboxLinkTest, what_was_written_is_lost_and_what_was_not_goes_first_on_the_next_link) {
    outbox.setLimits({.maxBatchMessages = 1});
    upAndOpen("a");
    for (auto const* payload : {"1", "2", "3"}) append("a", payload);
    outbox.openTopics(control);
    confirm("a", 0);
    auto const frame = protocol::kDataHeaderBytes + test::kLoneOverhead + 1;
    breakAfter(2 * frame - 1);  // the second one is cut in its last byte
    expectStats(3, 0, 2, 0, 1);
    append("a", "4");
    upAndOpen("a");
    lastSequence[topic("a").handle] = 1;
    EXPECT_THAT(write(), ElementsAre("2", "3", "4"));
    confirm("a", 4);
    expectStats(4, 3, 0, 0, 1);
}

TEST_F(OutboxLinkTest, a_link_lost_before_anything_was_written_loses_nothing) {
    append("a", "1");
    for (int i = 0; i < 5; ++i) {
        upAndOpen("a");
        breakAfter(0);
        expectStats(1, 0, 1, 0);
    }
    upAndOpen("a");
    EXPECT_THAT(write(), ElementsAre("1"));
}

TEST_F(OutboxLinkTest, a_link_lost_at_every_byte_accounts_for_every_message) {
    std::size_t all = 0;
    for (std::size_t at = 0; at == 0 || at <= all; ++at) {
        Outbox own{kProducer};
        own.setLimits({.maxBatchMessages = 2});
        auto error = Error::ok;
        for (auto const* name : {"a", "b"}) {
            for (int i = 0; i < 5; ++i) own.append(*own.topic(name, error), std::string(20, 'x'));
        }
        own.linkUp(control, 1 << 20, 1 << 20);
        for (std::uint32_t handle : {0U, 1U}) own.onConfirm({handle, 0, kPlenty});
        own.sealOpen(Outbox::Which::all);
        protocol::OutputQueue queue;
        own.fill(queue, 1 << 30);
        all = queue.bytes();
        own.written(at);
        own.linkDown();
        auto const stats = own.stats();
        ASSERT_EQ(stats.published, stats.buffered + stats.lost) << at;
        ASSERT_EQ(stats.buffered == 0, at == all);
        ASSERT_EQ(stats.bufferedBytes == 0, at == all);
    }
}

TEST_F(OutboxLinkTest, credit_and_handles_begin_anew_on_each_link) {
    upAndOpen("a");
    append("a", "1");
    outbox.openTopics(control);
    confirm("a", 0);
    write();
    confirm("a", 1, 1'000'000);
    outbox.linkDown();
    append("a", "2");
    linkUp();
    EXPECT_THAT(write(), IsEmpty()) << "the old credit is gone";
    confirm("a", 0, 10);
    EXPECT_THAT(write(), ElementsAre("2"));
    confirm("a", 2);
    expectStats(2, 2, 0, 0);
}

TEST_F(OutboxLinkTest, a_refused_topic_gives_up_what_waits_and_can_be_tried_again) {
    append("bad", "1");
    append("bad", "2");
    append("good", "3");
    linkUp();
    refuse("bad");
    auto const failures = outbox.takeFailures();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0].topic, "bad");
    EXPECT_EQ(failures[0].count, 2U);
    EXPECT_EQ(failures[0].code, Error::limitReached);
    EXPECT_EQ(failures[0].reason, "no");
    EXPECT_FALSE(outbox.hasFailures());
    expectStats(3, 0, 1, 0, 0, 2);
    EXPECT_TRUE(outbox.flushTargets().size() == 1) << "refused is settled";
    confirm("good", 0);
    EXPECT_THAT(write(), ElementsAre("3"));
    // The next message asks again, and this time it goes.
    control.clear();
    append("bad", "4");
    outbox.openTopics(control);
    EXPECT_THAT(opened(), ElementsAre("bad"));
    confirm("bad", 0);
    lastSequence[topic("bad").handle] = 2;
    EXPECT_THAT(write(), ElementsAre("4"));
    confirm("bad", 3);
    confirm("good", 1);
    expectStats(4, 2, 0, 0, 0, 2);
}

TEST_F(OutboxLinkTest, what_is_too_large_for_this_hub_is_refused_and_the_rest_goes) {
    auto const large = std::string(2'000'000, 'L');
    for (auto const& payload : {std::string{"1"}, large, std::string{"2"}, large, large, std::string{"3"}}) append("a", payload);
    linkUp(1'100'000, 1'000'000);
    EXPECT_EQ(outbox.limits().maxPayloadBytes, 1'000'000U);
    confirm("a", 0);
    auto& last = lastSequence[topic("a").handle];
    std::vector<std::string> sent;
    for (int i = 0; i < 3; ++i) {
        last = topic("a").sealed.empty() ? 5 : i == 0 ? 0 : i == 1 ? 2 : 5;
        outbox.sealOpen(Outbox::Which::all);
        outbox.fill(out, 1);
        auto const bytes = out.bytes();
        for (auto const& payload : read()) sent.push_back(payload);
        out.consume(bytes);
        outbox.written(bytes);
    }
    EXPECT_THAT(sent, ElementsAre("1", "2", "3"));
    std::uint64_t told = 0;
    for (auto const& failure : outbox.takeFailures()) {
        EXPECT_EQ(failure.code, Error::tooLarge);
        told += failure.count;
    }
    EXPECT_EQ(told, 3U);
    expectStats(6, 0, 0, 3, 0, 3);
    confirm("a", 1);
    expectStats(6, 1, 0, 2, 0, 3);
    confirm("a", 6);
    expectStats(6, 3, 0, 0, 0, 3);
    EXPECT_TRUE(outbox.flushTargets().empty());
}

TEST_F(OutboxLinkTest, refused_ones_alone_leave_nothing_to_flush) {
    append("a", std::string(2'000'000, 'L'));
    linkUp(1'100'000, 1'000'000);
    confirm("a", 0);
    EXPECT_THAT(write(), IsEmpty());
    expectStats(1, 0, 0, 0, 0, 1);
    EXPECT_TRUE(outbox.flushTargets().empty());
    append("a", "next");
    lastSequence[topic("a").handle] = 1;
    EXPECT_THAT(write(), ElementsAre("next"));
}

/// Random lives of an outbox against a plain model of what a hub has seen.
class OutboxModelTest : public OutboxLinkTest, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(OutboxModelTest, any_sequence_of_events_adds_up_and_keeps_the_order) {
    test::Random random{GetParam()};
    outbox.setLimits({.maxBatchBytes = 1024, .maxBatchMessages = test::pick(random, 0, 5)});
    std::map<std::string, std::uint64_t> next, seen, refusedUpTo;
    std::uint64_t published = 0;
    auto up = false;
    for (int step = 0; step < 3000; ++step) {
        auto const name = std::string{"t"} + std::to_string(test::pick(random, 0, 2));
        switch (test::pick(random, 0, 9)) {
            case 0: case 1: case 2: case 3:
                append(name, std::to_string(next[name]++) + std::string(test::pick(random, 0, 300), ' '));
                ++published;
                break;
            case 4:
                if (!up && std::exchange(up, true) == false) linkUp();
                break;
            case 5:
                if (up && topic(name).link != OutTopic::Link::closed) confirm(name, topic(name).settled, topic(name).sentBytes + test::pick(random, 0, 3000));
                break;
            case 6:
                if (up && topic(name).sent > topic(name).settled) {
                    confirm(name, test::pick(random, topic(name).settled, topic(name).sent), topic(name).credit);
                }
                break;
            case 7:
                if (up && test::pick(random, 0, 9) == 0 && topic(name).link == OutTopic::Link::opening) refuse(name);
                break;
            case 8:
                if (!up || test::pick(random, 0, 3) > 0) break;
                up = false;
                breakAfter(test::pick(random, 0, out.bytes() + 2000));
                break;
            default:
                if (!up) break;
                outbox.openTopics(control);
                outbox.sealOpen(Outbox::Which::sendable);
                outbox.fill(out, test::pick(random, 1, 4000));
                auto const bytes = test::pick(random, 0, out.bytes());
                out.consume(bytes);
                outbox.written(bytes);
        }
        auto const stats = outbox.stats();
        ASSERT_EQ(stats.published, published);
        ASSERT_EQ(stats.published, stats.confirmed + stats.buffered + stats.unconfirmed + stats.lost + stats.refused);
        ASSERT_LE(stats.unconfirmed, published) << "an underflow";
        ASSERT_EQ(stats.buffered == 0, stats.bufferedBytes == 0) << "step " << step;
    }
    // At the end everything goes out, in order.
    if (!up) linkUp();
    out.clear();
    outbox.linkDown();
    linkUp();
    outbox.openTopics(control);
    std::vector<std::string> rest;
    for (auto const* name : {"t0", "t1", "t2"}) {
        confirm(name, 0);
        lastSequence[topic(name).handle] = topic(name).sent;
        outbox.sealOpen(Outbox::Which::all);
        auto before = std::optional<std::uint64_t>{};
        for (auto const& payload : write()) {
            auto const number = std::stoull(payload);
            EXPECT_TRUE(!before || number == *before + 1) << name;
            before = number;
        }
        EXPECT_TRUE(!before || *before + 1 == next[name]) << "the last one is the last published";
        confirm(name, topic(name).sequence);
    }
    auto const stats = outbox.stats();
    EXPECT_EQ(stats.buffered + stats.unconfirmed + stats.bufferedBytes, 0U);
    EXPECT_TRUE(outbox.flushTargets().empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, OutboxModelTest, testing::Range<std::uint64_t>(1, 40));

TEST_F(OutboxLinkTest, of_a_deleted_topic_everything_unconfirmed_is_refused_and_the_next_message_opens_it_anew) {
    outbox.setLimits({.maxBatchMessages = 1});
    append("a", "1");
    append("a", "2");
    upAndOpen("a");
    EXPECT_THAT(write(), ElementsAre("1", "2"));
    confirm("a", 1);
    append("a", "3");  // sealed, not written
    std::vector<std::byte> answer;
    outbox.onTopicDeleted({topic("a").handle, Error::topicDeleted, "gone"}, answer);
    expectStats(3, 1, 0, 0, 0, 2);
    auto const failures = outbox.takeFailures();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0].count, 2U);
    EXPECT_EQ(failures[0].code, Error::topicDeleted);
    EXPECT_TRUE(protocol::decode<protocol::CloseTopic>(protocol::ByteView{answer}.subspan(protocol::kFrameHeaderBytes)));
    EXPECT_THAT(write(), IsEmpty());
    append("a", "4");
    control.clear();
    outbox.openTopics(control);
    EXPECT_THAT(opened(), ElementsAre("a"));
    EXPECT_THAT(write(), IsEmpty()) << "there is no credit yet";
    confirm("a", 0);
    lastSequence[topic("a").handle] = 3;
    EXPECT_THAT(write(), ElementsAre("4"));
    confirm("a", 4);
    expectStats(4, 2, 0, 0, 0, 2);
}

TEST_F(OutboxLinkTest, a_topic_deleted_while_its_batch_is_being_written_counts_it_once) {
    outbox.setLimits({.maxBatchMessages = 1});
    append("a", "1");
    upAndOpen("a");
    outbox.fill(out, 1 << 30);
    ASSERT_GT(out.bytes(), 0U);
    std::vector<std::byte> answer;
    outbox.onTopicDeleted({topic("a").handle, Error::topicDeleted, "gone"}, answer);
    expectStats(1, 0, 0, 0, 0, 1);
    outbox.written(out.bytes());
    out.clear();
    expectStats(1, 0, 0, 0, 0, 1);
    outbox.linkDown();
    expectStats(1, 0, 0, 0, 0, 1);
}

TEST_F(OutboxLinkTest, a_notice_for_a_handle_that_there_is_not_is_ignored) {
    upAndOpen("a");
    std::vector<std::byte> answer;
    outbox.onTopicDeleted({99, Error::topicDeleted, "gone"}, answer);
    EXPECT_THAT(answer, IsEmpty());
}

}  // namespace
}  // namespace gazellemq::client
