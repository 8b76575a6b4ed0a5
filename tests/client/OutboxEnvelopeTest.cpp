#include "Headed.hpp"
#include "MessageHeaders.hpp"
#include "OutboxFixture.hpp"

/// Messages with headers, and those that are for one partition.
namespace gazellemq::client {
namespace {

using protocol::BatchHeader;
using testing::ElementsAre;

class OutboxEnvelopeTest : public OutboxFixture {
  protected:
    static Envelope toPartition(std::uint16_t partition, std::uint16_t keyedFor = 0) {
        return {.partition = static_cast<std::uint16_t>(partition + 1), .keyedFor = keyedFor};
    }
    void add(std::string const& payload, Envelope const& envelope) { outbox.append(topic("t"), payload, envelope); }
    void opened(std::uint16_t partitions) {
        outbox.openTopics(control);
        outbox.onReply({topic("t").handle, Error::ok, {}, partitions});
        confirm("t", 0);
    }
    /// The partition fields of the PUBLISH frames that would be written now: 0, or one more than the number.
    std::vector<std::uint32_t> partitions() {
        outbox.fill(out, 1 << 30);
        test::Bytes bytes;
        for (auto const& piece : out.gather()) test::append(bytes, {static_cast<std::byte const*>(piece.iov_base), piece.iov_len});
        std::vector<std::uint32_t> fields;
        for (protocol::ByteView rest = bytes; !rest.empty();) {
            fields.push_back(protocol::load<std::uint32_t>(rest.data() + 12));
            rest = rest.subspan(protocol::kFrameHeaderBytes + protocol::load<std::uint32_t>(rest.data()));
        }
        return fields;
    }
};

TEST_F(OutboxEnvelopeTest, a_batch_has_headers_from_the_first_message_that_has_some_on) {
    linkUp();
    std::vector<std::byte> headers;
    ASSERT_TRUE(encodeHeaders(test::keyed("", "k").headers, {}, headers));
    Envelope const keyed{.headers = headers, .flags = BatchHeader::kHeadersFlag | BatchHeader::kKeysFlag};
    append("t", "plain");
    EXPECT_TRUE(outbox.append(topic("t"), "keyed", keyed)) << "closes the batch that has room for payloads only";
    append("t", "plain again");
    opened(1);
    EXPECT_THAT(write(), ElementsAre("plain", "keyed", "plain again"));
    EXPECT_THAT(batchCounts, ElementsAre(1U, 2U));
}

TEST_F(OutboxEnvelopeTest, batches_for_several_partitions_are_filled_side_by_side_and_numbered_as_they_are_closed) {
    linkUp();
    append("t", "first");
    opened(3);
    EXPECT_THAT(write(), ElementsAre("first"));
    for (auto const* payload : {"a", "b", "c"}) {
        add(payload, toPartition(2));
        add(payload, toPartition(0));
    }
    EXPECT_EQ(topic("t").accepted(), 7U);
    EXPECT_THAT(write(), ElementsAre("a", "b", "c", "a", "b", "c"));
    EXPECT_THAT(batchCounts, ElementsAre(1U, 3U, 3U));
    confirm("t", 7);
    expectStats(7, 7, 0, 0);
}

TEST_F(OutboxEnvelopeTest, a_partition_chosen_among_another_number_is_left_to_the_hub) {
    add("kept", toPartition(1, 8));
    outbox.sealOpen(Outbox::Which::all);
    linkUp();
    opened(8);
    EXPECT_THAT(partitions(), ElementsAre(2U));
    out.clear();
    outbox.linkDown();  // before it was written
    linkUp();
    opened(4);
    EXPECT_THAT(partitions(), ElementsAre(0U));
}

TEST_F(OutboxEnvelopeTest, what_was_begun_for_another_number_of_partitions_is_closed_before_more_comes) {
    linkUp();
    opened(2);
    add("1", toPartition(0, 2));
    EXPECT_EQ(topic("t").openCount, 1U);
    outbox.onReply({topic("t").handle, Error::ok, {}, 4});
    EXPECT_EQ(topic("t").openCount, 0U);
}

TEST_F(OutboxEnvelopeTest, messages_for_a_named_partition_that_is_not_there_are_refused_and_the_others_go) {
    add("nowhere", toPartition(5));
    add("here", toPartition(0));
    linkUp();
    opened(1);
    EXPECT_THAT(write(), ElementsAre("here"));
    auto const failures = outbox.takeFailures();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0].code, Error::noSuchPartition);
    EXPECT_EQ(failures[0].count, 1U);
    confirm("t", 2);
    expectStats(2, 1, 0, 0, 0, 1);
}

TEST_F(OutboxEnvelopeTest, confirms_tell_who_listened_and_what_nobody_heard_on_each_link_from_nothing) {
    EXPECT_EQ(outbox.subscriptionsOf("t"), std::nullopt);
    for (int link = 1; link <= 2; ++link) {
        append("t", "x");
        linkUp();
        opened(1);
        write();
        auto const sequence = static_cast<std::uint64_t>(link);
        outbox.onConfirm({topic("t").handle, sequence, kPlenty, 0, 1});
        EXPECT_EQ(outbox.subscriptionsOf("t"), 0U);
        EXPECT_EQ(outbox.stats().unheard, sequence);
        outbox.linkDown();
    }
}

}  // namespace
}  // namespace gazellemq::client
