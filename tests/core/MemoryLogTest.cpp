#include "MemoryLog.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "Batches.hpp"

namespace gazellemq::hub {
namespace {

using Readers = MemoryLog::Readers;

class MemoryLogTest : public testing::Test {
  protected:
    void append(std::size_t bytes, std::uint32_t count, Readers readers) {
        auto buffer = pool->take(bytes);
        log.append({buffer, {buffer->data(), bytes}, count}, readers);
    }

    std::shared_ptr<protocol::BufferPool> pool = protocol::BufferPool::create(1024, 0);
    MemoryLog log;
};

TEST_F(MemoryLogTest, keeps_nothing_without_readers_but_moves_on) {
    append(100, 3, {});
    append(50, 2, {});
    EXPECT_EQ(log.endOffset(), 5U);
    EXPECT_EQ(log.beginIndex(), 2U);
    EXPECT_EQ(log.endIndex(), 2U);
    EXPECT_EQ(log.bytes(), 0U);
    EXPECT_EQ(pool->bytesInUse(), 0U);
}

TEST_F(MemoryLogTest, keeps_an_entry_until_its_last_reader_has_passed) {
    append(100, 3, {.blocking = 1, .dropping = 1});
    append(50, 2, {.blocking = 1, .dropping = 1});
    EXPECT_EQ(log.at(1).baseOffset, 3U);
    EXPECT_EQ(log.at(1).position, 100U);
    log.pass(0, true);
    EXPECT_EQ(log.bytes(), 150U);
    log.pass(0, false);
    EXPECT_EQ(log.beginIndex(), 1U);
    EXPECT_EQ(log.bytes(), 50U);
    EXPECT_EQ(pool->bytesInUse(), 50U);
    EXPECT_EQ(log.at(1).baseOffset, 3U) << "an index stays valid when entries before it go";
}

TEST_F(MemoryLogTest, counts_as_blocked_what_a_blocking_reader_has_still_to_pass) {
    append(10, 1, {.blocking = 0, .dropping = 1});
    append(20, 1, {.blocking = 1, .dropping = 1});
    append(40, 1, {.blocking = 1, .dropping = 1});
    EXPECT_EQ(log.blockedBytes(), 60U);
    log.pass(1, true);
    EXPECT_EQ(log.blockedBytes(), 40U);
    log.pass(2, true);
    EXPECT_EQ(log.blockedBytes(), 0U);
    EXPECT_EQ(log.bytes(), 70U) << "the other reader has passed nothing";
}

TEST_F(MemoryLogTest, gives_up_nothing_that_a_blocking_reader_needs) {
    append(10, 1, {.blocking = 0, .dropping = 1});
    append(10, 1, {.blocking = 1, .dropping = 1});
    append(10, 1, {.blocking = 1, .dropping = 1});
    EXPECT_EQ(log.droppableUpTo(30), 0U);
    EXPECT_EQ(log.droppableUpTo(29), 1U);
    EXPECT_EQ(log.droppableUpTo(0), 1U);
    log.pass(1, true);
    log.pass(2, true);
    EXPECT_EQ(log.droppableUpTo(10), 2U);
    EXPECT_EQ(log.droppableUpTo(0), 3U);
}

/// All entries ever appended, with the readers that have still to pass each.
struct Model {
    struct Entry {
        std::size_t bytes;
        std::uint64_t position;
        std::uint64_t offset;
        Readers readers;
    };
    std::vector<Entry> entries;
    std::uint64_t position = 0;
    std::uint64_t offset = 0;

    std::uint64_t begin() const {
        std::size_t i = 0;
        while (i < entries.size() && entries[i].readers.none()) ++i;
        return i;
    }
    std::uint64_t firstBlocked() const {
        std::size_t i = 0;
        while (i < entries.size() && entries[i].readers.blocking == 0) ++i;
        return i;
    }
    std::uint64_t bytesFrom(std::uint64_t index) const {
        return index == entries.size() ? 0 : position - entries[index].position;
    }
    std::uint64_t droppable(std::size_t keep) const {
        auto i = begin();
        while (i < firstBlocked() && bytesFrom(i) > keep) ++i;
        return i;
    }
};

/// Readers come, pass entries in order, and go; the log must always say what the list of all entries says.
TEST_F(MemoryLogTest, is_what_a_list_of_all_entries_says) {
    struct Reader {
        std::uint64_t next;
        bool blocking;
    };
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        test::Random random{seed};
        log = MemoryLog{};
        Model model;
        std::vector<Reader> readers;
        auto const pass = [&](Reader& reader) {
            auto& left = model.entries[reader.next].readers;
            --(reader.blocking ? left.blocking : left.dropping);
            log.pass(reader.next++, reader.blocking);
        };
        for (int step = 0; step < 600; ++step) {
            auto const kind = test::pick(random, 0, 9);
            if (kind == 0 && readers.size() < 5) {
                readers.push_back({log.endIndex(), test::pick(random, 0, 1) == 0});
            } else if (kind == 1 && !readers.empty()) {
                while (readers.back().next < log.endIndex()) pass(readers.back());
                readers.pop_back();
            } else if (kind < 6) {
                Readers count;
                for (auto const& reader : readers) ++(reader.blocking ? count.blocking : count.dropping);
                auto const bytes = test::pick(random, 1, 100);
                auto const messages = static_cast<std::uint32_t>(test::pick(random, 1, 5));
                model.entries.push_back({bytes, model.position, model.offset, count});
                model.position += bytes;
                model.offset += messages;
                append(bytes, messages, count);
            } else if (!readers.empty()) {
                auto& reader = readers[test::pick(random, 0, readers.size() - 1)];
                for (auto n = test::pick(random, 1, 4); n > 0 && reader.next < log.endIndex(); --n)
                    pass(reader);
            }
            ASSERT_EQ(log.beginIndex(), model.begin());
            ASSERT_EQ(log.endIndex(), model.entries.size());
            ASSERT_EQ(log.endOffset(), model.offset);
            ASSERT_EQ(log.bytes(), model.bytesFrom(model.begin()));
            ASSERT_EQ(pool->bytesInUse(), log.bytes());
            ASSERT_EQ(log.blockedBytes(), model.bytesFrom(model.firstBlocked()));
            auto const keep = test::pick(random, 0, 400);
            ASSERT_EQ(log.droppableUpTo(keep), model.droppable(keep)) << "keeping " << keep;
            if (log.beginIndex() < log.endIndex()) {
                auto const index = test::pick(random, log.beginIndex(), log.endIndex() - 1);
                ASSERT_EQ(log.at(index).baseOffset, model.entries[index].offset);
                ASSERT_EQ(log.at(index).bytes.size(), model.entries[index].bytes);
            }
        }
    }
}

}  // namespace
}  // namespace gazellemq::hub
