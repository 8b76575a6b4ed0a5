#include "Topic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "FakeReader.hpp"

namespace gazellemq::hub {
namespace {

using test::FakeReader;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kBatch = 1000;

class TopicTest : public testing::Test {
  protected:
    static Limits smallWindow() {
        Limits limits;
        limits.windowBytes = 8 * kBatch;
        limits.retainBytes = 0;
        return limits;
    }

    /// Appends one batch of one message; the number of messages that readers lost.
    std::uint64_t append(std::size_t bytes = kBatch, bool memoryIsShort = false) {
        auto const batch = test::makeBatch({std::string(bytes - test::kLoneOverhead, 'x')});
        auto buffer = hub.pool().take(batch.size());
        std::copy(batch.begin(), batch.end(), buffer->data());
        auto const dropped = topic.partition(0).makeRoom(batch.size(), memoryIsShort, hub.pool());
        topic.partition(0).append({buffer, {buffer->data(), batch.size()}, 1}, {1000, 5});
        return dropped;
    }

    Limits const limits = smallWindow();
    test::FakeHub hub;
    test::FakeClient client{hub};
    Topic topic{7, "t", TopicSettings::defaults(limits)};
};

TEST_F(TopicTest, stamps_what_it_appends) {
    FakeReader reader{client, topic, true};
    append();
    append();
    auto const header = protocol::BatchHeader::decode(topic.partition(0).log().at(1).bytes);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->baseOffset, 1U);
    EXPECT_EQ(header->receiveTimeNs, 1000);
    EXPECT_TRUE(protocol::hubChecksumFits(topic.partition(0).log().at(1).bytes));
    EXPECT_TRUE(protocol::checksumFits(topic.partition(0).log().at(1).bytes));
}

TEST_F(TopicTest, gives_the_readers_that_had_caught_up_once) {
    FakeReader first{client, topic, true};
    FakeReader second{client, topic, false};
    append();
    EXPECT_THAT(topic.partition(0).takeIdle(), testing::UnorderedElementsAre(&first.cursor(), &second.cursor()));
    append();
    EXPECT_THAT(topic.partition(0).takeIdle(), IsEmpty());
    topic.partition(0).advance(first.cursor());
    topic.partition(0).advance(first.cursor());
    topic.partition(0).waitForAppend(first.cursor());
    append();
    EXPECT_THAT(topic.partition(0).takeIdle(), ElementsAre(&first.cursor()));
}

TEST_F(TopicTest, a_new_reader_starts_at_the_end) {
    FakeReader first{client, topic, true};
    append();
    FakeReader late{client, topic, true};
    EXPECT_EQ(late.cursor().next, 1U);
}

TEST_F(TopicTest, frees_what_only_a_leaving_reader_needed) {
    FakeReader stays{client, topic, true};
    {
        FakeReader leaves{client, topic, true};
        for (int i = 0; i < 5; ++i) append();
        for (int i = 0; i < 4; ++i) topic.partition(0).advance(stays.cursor());
        EXPECT_EQ(topic.partition(0).log().bytes(), 5 * kBatch);
    }
    EXPECT_EQ(topic.partition(0).log().bytes(), kBatch);
    append();
    EXPECT_THAT(topic.partition(0).takeIdle(), ElementsAre(&stays.cursor())) << "and no cursor that is gone";
}

TEST_F(TopicTest, wakes_exactly_who_is_there_and_waits_whoever_leaves_in_whatever_order) {
    std::vector<std::unique_ptr<FakeReader>> readers;
    std::mt19937 random{1};
    for (int round = 0; round < 300; ++round) {
        for (auto joining = random() % 5; joining > 0; --joining) readers.push_back(std::make_unique<FakeReader>(client, topic, true));
        std::shuffle(readers.begin(), readers.end(), random);
        readers.resize(readers.size() - random() % (readers.size() + 1) / 2);
        std::vector<Cursor*> waiting;
        for (auto const& reader : readers) {
            if (reader->cursor().next == topic.partition(0).log().endIndex()) waiting.push_back(&reader->cursor());
        }
        ASSERT_EQ(topic.partition(0).cursors().size(), readers.size());
        append();
        ASSERT_THAT(topic.partition(0).takeIdle(), testing::UnorderedElementsAreArray(waiting));
        for (auto const& reader : readers) {
            if (random() % 2 == 0) continue;  // stays behind
            while (reader->cursor().next < topic.partition(0).log().endIndex()) topic.partition(0).advance(reader->cursor());
            topic.partition(0).waitForAppend(reader->cursor());
        }
    }
    readers.clear();
    EXPECT_EQ(topic.partition(0).log().bytes(), 0U);
}

TEST_F(TopicTest, drops_the_oldest_batches_of_readers_that_allow_it) {
    FakeReader slow{client, topic, false};
    FakeReader slower{client, topic, false};
    for (int i = 0; i < 8; ++i) EXPECT_EQ(append(), 0U) << "the window is not full yet";
    topic.partition(0).advance(slow.cursor());
    auto const lost = append();
    EXPECT_LE(topic.partition(0).log().bytes(), limits.windowBytes);
    EXPECT_GT(lost, 0U);
    EXPECT_EQ(slow.cursor().next, slow.reader.dropped + 1);
    EXPECT_EQ(slower.cursor().next, slower.reader.dropped);
    EXPECT_EQ(lost, slow.reader.dropped + slower.reader.dropped);
}

TEST_F(TopicTest, drops_nothing_that_a_blocking_reader_needs) {
    FakeReader blocking{client, topic, true};
    FakeReader dropping{client, topic, false};
    for (int i = 0; i < 50; ++i) EXPECT_EQ(append(), 0U);
    EXPECT_EQ(topic.partition(0).log().bytes(), 50 * kBatch);
    while (blocking.cursor().next < topic.partition(0).log().endIndex()) topic.partition(0).advance(blocking.cursor());
    EXPECT_GE(append(), 42U);
    EXPECT_LE(topic.partition(0).log().bytes(), limits.windowBytes + kBatch);
}

TEST_F(TopicTest, a_batch_larger_than_the_window_takes_the_place_of_all_others) {
    FakeReader dropping{client, topic, false};
    append();
    append();
    EXPECT_EQ(append(20 * kBatch), 2U);
    EXPECT_EQ(dropping.cursor().next, 2U);
    EXPECT_EQ(topic.partition(0).log().endIndex(), 3U) << "it is delivered itself";
}

TEST_F(TopicTest, keeps_an_eighth_of_its_window_while_memory_is_short) {
    FakeReader dropping{client, topic, false};
    for (int i = 0; i < 8; ++i) append();
    append(kBatch, true);
    EXPECT_LE(topic.partition(0).log().bytes(), limits.windowBytes / 8);
}

TEST_F(TopicTest, is_unused_without_publishers_and_readers_by_name) {
    EXPECT_TRUE(topic.unused());
    {
        FakeReader byWildcard{client, topic, false};
        EXPECT_TRUE(topic.unused());
        FakeReader byName{client, topic, true};
        EXPECT_FALSE(topic.unused());
    }
    Publication publication{&client.session(), &topic, 1};
    topic.attach(publication);
    EXPECT_FALSE(topic.unused());
    topic.detach(publication);
    EXPECT_TRUE(topic.unused());
}

}  // namespace
}  // namespace gazellemq::hub
