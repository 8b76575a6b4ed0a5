#include "OutputQueue.hpp"

#include <gtest/gtest.h>

#include <string>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

using test::Bytes;

Bytes join(std::span<iovec const> pieces) {
    Bytes bytes;
    for (auto const& piece : pieces)
        test::append(bytes, {static_cast<std::byte const*>(piece.iov_base), piece.iov_len});
    return bytes;
}

BufferRef bufferOf(BufferPool& pool, ByteView bytes) {
    auto buffer = pool.take(bytes.size());
    std::copy(bytes.begin(), bytes.end(), buffer->data());
    return buffer;
}

TEST(OutputQueue, gathers_headers_batches_and_frames_in_order) {
    auto const pool = BufferPool::create();
    OutputQueue queue;
    EXPECT_TRUE(queue.empty());
    auto const batch = bufferOf(*pool, test::toBytes("the batch"));
    queue.push(test::encoded(Ping{5}));
    queue.pushDataHeader(FrameType::deliver, 1, 2, 9);
    queue.push(batch, {batch->data(), 9});
    Bytes expected = test::encoded(Ping{5});
    expected.resize(expected.size() + kDataHeaderBytes);
    storeDataHeader(expected.data() + expected.size() - kDataHeaderBytes, FrameType::deliver, 1, 2, 9);
    test::append(expected, asBytes("the batch"));
    EXPECT_EQ(queue.bytes(), expected.size());
    EXPECT_EQ(join(queue.gather()), expected);
}

TEST(OutputQueue, does_not_copy_a_batch) {
    auto const pool = BufferPool::create();
    OutputQueue queue;
    auto const batch = pool->take(100);
    queue.push(batch, {batch->data() + 10, 50});
    auto const pieces = queue.gather();
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].iov_base, batch->data() + 10);
    EXPECT_EQ(pieces[0].iov_len, 50U);
}

TEST(OutputQueue, holds_a_buffer_until_its_last_byte_is_written) {
    auto const pool = BufferPool::create();
    OutputQueue queue;
    queue.pushDataHeader(FrameType::deliver, 1, 2, 100);
    auto batch = pool->take(100);
    queue.push(batch, {batch->data(), 100});
    batch.reset();
    queue.gather();
    queue.consume(kDataHeaderBytes + 99);
    EXPECT_EQ(pool->bytesInUse(), 100U);
    queue.gather();
    queue.consume(1);
    EXPECT_EQ(pool->bytesInUse(), 0U);
    EXPECT_TRUE(queue.empty());
}

TEST(OutputQueue, lets_go_of_a_written_buffer_although_more_waits) {
    auto const pool = BufferPool::create();
    OutputQueue queue;
    for (int i = 0; i < 2; ++i) {
        auto const batch = pool->take(100);
        queue.push(batch, {batch->data(), 100});
    }
    queue.gather();
    queue.consume(150);
    EXPECT_EQ(pool->bytesInUse(), 100U);
}

TEST(OutputQueue, lets_go_of_everything_when_cleared) {
    auto const pool = BufferPool::create();
    OutputQueue queue;
    for (int i = 0; i < 100; ++i) {
        auto const batch = pool->take(10);
        queue.push(batch, {batch->data(), 10});
    }
    queue.gather();
    queue.consume(15);
    queue.clear();
    EXPECT_EQ(pool->bytesInUse(), 0U);
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.gather().empty());
    queue.push(test::encoded(Ping{1}));
    EXPECT_EQ(join(queue.gather()), test::encoded(Ping{1}))
        << "what was half written before the clear is forgotten";
}

TEST(OutputQueue, ignores_an_empty_list_of_frames) {
    OutputQueue queue;
    queue.push(Bytes{});
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.gather().empty());
}

TEST(OutputQueue, has_no_room_from_its_limit_of_pieces_on) {
    OutputQueue queue;
    for (std::size_t i = 0; i < OutputQueue::kMaxPieces; ++i) {
        ASSERT_TRUE(queue.hasRoom());
        queue.pushDataHeader(FrameType::deliver, 1, 1, 0);
    }
    EXPECT_FALSE(queue.hasRoom());
    queue.gather();
    queue.consume(kDataHeaderBytes);
    EXPECT_TRUE(queue.hasRoom());
}

/// Pushes and partial writes at random; what was written is compared with the same bytes in a string.
TEST(OutputQueue, writes_the_bytes_that_were_pushed_however_they_are_cut) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        test::Random random{seed};
        auto const pool = BufferPool::create(4096, 4);
        OutputQueue queue;
        Bytes pushed;
        Bytes written;
        for (int step = 0; step < 2000; ++step) {
            auto const kind = test::pick(random, 0, 5);
            if (kind == 0) {
                auto const n = static_cast<std::uint32_t>(step);
                queue.pushDataHeader(FrameType::deliver, n, n, n);
                pushed.resize(pushed.size() + kDataHeaderBytes);
                storeDataHeader(pushed.data() + pushed.size() - kDataHeaderBytes, FrameType::deliver, n, n,
                                n);
            } else if (kind == 1) {
                auto frames = test::toBytes(
                    test::patternText(test::pick(random, 0, 50), static_cast<std::size_t>(step)));
                test::append(pushed, frames);
                queue.push(std::move(frames));
            } else if (kind < 4) {
                auto const text =
                    test::patternText(test::pick(random, 1, 3000), static_cast<std::size_t>(step));
                auto const buffer = bufferOf(*pool, asBytes(text));
                auto const part = ByteView{buffer->data(), buffer->capacity()}.subspan(
                    test::pick(random, 0, text.size() - 1));
                test::append(pushed, part);
                queue.push(buffer, part);
            } else {
                auto const bytes = join(queue.gather());
                ASSERT_LE(bytes.size(), queue.bytes());
                auto const n = kind == 4 ? test::pick(random, 0, bytes.size()) : bytes.size();
                test::append(written, ByteView{bytes}.first(n));
                queue.consume(n);
            }
            ASSERT_EQ(queue.bytes(), pushed.size() - written.size());
            ASSERT_EQ(queue.empty(), pushed.size() == written.size());
        }
        while (!queue.empty()) {
            auto const bytes = join(queue.gather());
            ASSERT_FALSE(bytes.empty());
            test::append(written, bytes);
            queue.consume(bytes.size());
        }
        EXPECT_EQ(written, pushed);
        EXPECT_EQ(pool->bytesInUse(), 0U);
    }
}

TEST(OutputQueue, gathers_no_more_pieces_than_one_system_call_takes) {
    OutputQueue queue;
    for (int i = 0; i < 3000; ++i) queue.push(Bytes(3, std::byte{1}));
    std::size_t total = 0;
    while (!queue.empty()) {
        auto const pieces = queue.gather();
        ASSERT_LE(pieces.size(), 1024U);
        total += join(pieces).size();
        queue.consume(pieces.size() * 3);
    }
    EXPECT_EQ(total, 9000U);
}

}  // namespace
}  // namespace gazellemq::protocol
