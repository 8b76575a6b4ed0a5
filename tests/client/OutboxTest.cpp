#include "OutboxFixture.hpp"

namespace gazellemq::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OutboxTest : public OutboxFixture {};

TEST_F(OutboxTest, keeps_messages_until_the_link_is_up_and_the_topic_is_open) {
    append("a", "1");
    append("b", "2");
    append("a", "3");
    EXPECT_THAT(write(), IsEmpty());
    expectStats(3, 0, 3, 0);
    linkUp();
    EXPECT_THAT(opened(), ElementsAre("a", "b"));
    EXPECT_THAT(write(), IsEmpty()) << "no credit yet";
    confirm("a", 0);
    EXPECT_THAT(write(), ElementsAre("1", "3"));
    confirm("b", 0);
    EXPECT_THAT(write(), ElementsAre("2"));
    expectStats(3, 0, 0, 3);
    confirm("a", 2);
    confirm("b", 1);
    expectStats(3, 3, 0, 0);
}

TEST_F(OutboxTest, opens_a_topic_at_its_first_use_on_a_link) {
    linkUp();
    EXPECT_THAT(opened(), IsEmpty());
    append("a", "1");
    EXPECT_TRUE(outbox.canFill());
    outbox.openTopics(control);
    EXPECT_THAT(opened(), ElementsAre("a"));
    append("a", "2");
    control.clear();
    outbox.openTopics(control);
    EXPECT_THAT(opened(), IsEmpty()) << "only once";
    confirm("a", 0);
    write();
    outbox.linkDown();
    linkUp();
    EXPECT_THAT(opened(), IsEmpty()) << "nothing waits for it";
    append("a", "3");
    outbox.openTopics(control);
    EXPECT_THAT(opened(), ElementsAre("a"));
}

TEST_F(OutboxTest, refuses_bad_names_and_finds_topics_again) {
    auto error = Error::ok;
    EXPECT_EQ(outbox.topic("a..b", error), nullptr);
    EXPECT_EQ(error, Error::nameEmptyLevel);
    EXPECT_EQ(outbox.topic("a.*", error), nullptr);
    EXPECT_EQ(error, Error::nameWildcard);
    EXPECT_EQ(&topic("a"), &topic("a"));
    EXPECT_NE(&topic("a"), &topic("b"));
    EXPECT_NE(topic("a").handle, topic("b").handle);
}

TEST_F(OutboxTest, closes_a_batch_exactly_at_its_size) {
    outbox.setLimits({.maxBatchBytes = 1024});
    linkUp();
    constexpr std::size_t kRoom = 1024 - protocol::kDataHeaderBytes - protocol::BatchHeader::kBytes;
    auto& a = topic("a");
    EXPECT_FALSE(outbox.append(a, std::string(kRoom - 4 - 5, 'x'))) << "an empty message still fits";
    EXPECT_TRUE(outbox.append(a, "y")) << "now it is full to the byte";
    EXPECT_EQ(a.openCount, 0U);
    EXPECT_TRUE(outbox.append(a, std::string(kRoom - 4 - 3, 'x'))) << "not even an empty message fits behind it";
    EXPECT_FALSE(outbox.append(a, std::string(500, 'x')));
    EXPECT_TRUE(outbox.append(a, std::string(500, 'x'))) << "closes the one before";
    EXPECT_EQ(a.openCount, 1U);
    EXPECT_TRUE(outbox.append(a, std::string(5000, 'x'))) << "larger than a batch: travels alone";
    outbox.openTopics(control);
    confirm("a", 0);
    EXPECT_EQ(write().size(), 6U);
    ASSERT_THAT(batchCounts, ElementsAre(2, 1, 1, 1, 1));
    EXPECT_EQ(batchBytes[0], 1024U);
    EXPECT_EQ(batchBytes[1], 1021U);
    EXPECT_EQ(outbox.fullBatches(), 4U + 1U);
}

TEST_F(OutboxTest, every_size_around_every_limit_keeps_its_bytes) {
    for (std::size_t const batch : {1024U, 2048U, 4096U, 32U * 1024}) {
        Outbox own{kProducer};
        own.setLimits({.maxBatchBytes = batch});
        for (std::size_t size = batch - 100; size <= batch + 10; ++size) {
            auto error = Error::ok;
            auto& a = *own.topic("a", error);
            own.append(a, "small");
            own.append(a, test::patternText(size, size));
            own.sealOpen(Outbox::Which::all);
            std::vector<std::string> payloads;
            for (auto const& sealed : a.sealed) {
                EXPECT_LE(sealed.frameBytes, sealed.buffer->capacity());
                EXPECT_TRUE(sealed.frameBytes <= batch || sealed.count == 1);
                protocol::ByteView const frame{sealed.buffer->data(), sealed.frameBytes};
                for (auto& payload : test::payloadsOf(frame.subspan(protocol::kDataHeaderBytes))) payloads.push_back(std::move(payload));
            }
            ASSERT_EQ(payloads.size(), 2U);
            EXPECT_EQ(payloads[0], "small");
            EXPECT_TRUE(payloads[1] == test::patternText(size, size)) << size;
            a.sealed.clear();
        }
    }
}

TEST_F(OutboxTest, closes_a_batch_at_its_number_of_messages) {
    outbox.setLimits({.maxBatchMessages = 3});
    linkUp();
    auto& a = topic("a");
    EXPECT_FALSE(outbox.append(a, ""));
    EXPECT_FALSE(outbox.append(a, ""));
    EXPECT_TRUE(outbox.append(a, ""));
    EXPECT_FALSE(outbox.append(a, ""));
    outbox.openTopics(control);
    confirm("a", 0);
    EXPECT_EQ(write().size(), 3U) << "the open one waits behind a closed one";
    EXPECT_EQ(write().size(), 1U);
    EXPECT_THAT(batchCounts, ElementsAre(3, 1));
}

TEST_F(OutboxTest, sends_while_there_is_any_credit_and_may_go_over_by_one_batch) {
    linkUp();
    append("a", std::string(1000, 'x'));
    outbox.openTopics(control);
    confirm("a", 0, 1);
    EXPECT_EQ(write().size(), 1U) << "one byte of credit is enough for one batch";
    append("a", "next");
    EXPECT_THAT(write(), IsEmpty());
    auto const sent = topic("a").sentBytes;
    confirm("a", 1, sent);
    EXPECT_THAT(write(), IsEmpty()) << "credit used up exactly";
    confirm("a", 1, sent + 1);
    EXPECT_EQ(write().size(), 1U);
    confirm("a", 1, 5);
    EXPECT_EQ(topic("a").credit, sent + 1) << "credit never shrinks";
}

TEST_F(OutboxTest, lets_topics_take_turns_and_one_without_credit_delays_none) {
    outbox.setLimits({.maxBatchMessages = 1});
    linkUp();
    for (auto const* name : {"a", "b", "c"}) {
        for (int i = 0; i < 3; ++i) append(name, name + std::to_string(i));
    }
    outbox.openTopics(control);
    confirm("a", 0);
    confirm("c", 0);
    EXPECT_THAT(write(), ElementsAre("a0", "c0", "a1", "c1", "a2", "c2"));
    confirm("b", 0);
    EXPECT_THAT(write(), ElementsAre("b0", "b1", "b2"));
}

TEST_F(OutboxTest, fills_no_more_than_asked_for_and_goes_on_afterwards) {
    outbox.setLimits({.maxBatchMessages = 1});
    linkUp();
    for (int i = 0; i < 10; ++i) append("a", std::string(100, static_cast<char>('0' + i)));
    outbox.openTopics(control);
    confirm("a", 0);
    EXPECT_EQ(write(1).size(), 1U);
    EXPECT_TRUE(outbox.canFill());
    EXPECT_EQ(write(300).size(), 2U) << "the first that reaches it is the last";
    outbox.fill(out, 1);
    outbox.fill(out, 1);
    EXPECT_EQ(read().size(), 1U) << "what waits in the queue counts";
}

TEST_F(OutboxTest, confirms_count_once_and_never_too_much) {
    linkUp();
    for (int i = 0; i < 5; ++i) append("a", "x");
    outbox.openTopics(control);
    confirm("a", 0);
    write();
    confirm("a", 3);
    expectStats(5, 3, 0, 2);
    confirm("a", 3);
    confirm("a", 2);
    expectStats(5, 3, 0, 2);
    confirm("a", 5000);
    expectStats(5, 5, 0, 0);
    outbox.onConfirm({99, 1, 1});  // a handle that does not exist
    expectStats(5, 5, 0, 0);
}

TEST_F(OutboxTest, a_confirm_that_overtakes_the_note_of_the_write_counts_the_batch_as_sent) {
    linkUp();
    append("a", "x");
    outbox.openTopics(control);
    confirm("a", 0);
    outbox.sealOpen(Outbox::Which::sendable);
    outbox.fill(out, 1 << 20);
    expectStats(1, 0, 1, 0);
    confirm("a", 1);
    expectStats(1, 1, 0, 0);
    auto const bytes = out.bytes();
    out.consume(bytes);
    outbox.written(bytes);
    expectStats(1, 1, 0, 0);
    outbox.linkDown();
    expectStats(1, 1, 0, 0);
}

TEST_F(OutboxTest, the_targets_of_a_flush_are_the_topics_with_something_unsettled) {
    linkUp();
    append("a", "1");
    append("b", "1");
    outbox.openTopics(control);
    confirm("a", 0);
    write();
    confirm("a", 1);
    append("b", "2");
    auto const targets = outbox.flushTargets();
    ASSERT_EQ(targets.size(), 1U);
    EXPECT_EQ(targets[0].first->name, "b");
    EXPECT_EQ(targets[0].second, 2U);
    EXPECT_EQ(outbox.unsettled(), 2U);
}

TEST_F(OutboxTest, sealing_all_closes_also_what_cannot_be_sent_yet) {
    append("a", "1");
    EXPECT_FALSE(outbox.sealOpen(Outbox::Which::sendable)) << "what is left waits for the hub";
    EXPECT_TRUE(outbox.hasOpen());
    outbox.sealOpen(Outbox::Which::all);
    EXPECT_FALSE(outbox.hasOpen());
    append("a", "2");
    linkUp();
    confirm("a", 0);
    outbox.sealOpen(Outbox::Which::sendable);
    EXPECT_THAT(write(), ElementsAre("1"));
    EXPECT_THAT(write(), ElementsAre("2")) << "it could have grown while the first one waited";
}

TEST_F(OutboxTest, the_cost_of_a_message_is_never_less_than_what_it_adds) {
    for (std::size_t const size : {0U, 1U, 100U, 5000U, 40'000U}) {
        auto const before = outbox.bufferedBytes();
        std::string const payload(size, 'x');
        append("a", payload);
        EXPECT_LE(outbox.bufferedBytes() - before, Outbox::cost(payload));
    }
}

}  // namespace
}  // namespace gazellemq::client
