#include "Buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace gazellemq::protocol {
namespace {

TEST(Buffer, has_the_capacity_that_was_asked_for) {
    auto const pool = BufferPool::create(1024, 2);
    EXPECT_EQ(pool->takeSlab()->capacity(), 1024U);
    for (std::size_t const size : {0U, 1U, 63U, 100'000U}) {
        auto const buffer = pool->take(size);
        ASSERT_EQ(buffer->capacity(), size);
        std::memset(buffer->data(), 0x5A, size);  // AddressSanitizer looks at this
    }
}

TEST(Buffer, is_unique_while_one_reference_holds_it) {
    auto const pool = BufferPool::create(1024, 2);
    auto first = pool->takeSlab();
    EXPECT_TRUE(first->unique());
    auto second = first;
    EXPECT_FALSE(first->unique());
    auto third = std::move(second);
    EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move): a moved-from reference is empty
    EXPECT_EQ(first.get(), third.get());
    third.reset();
    EXPECT_TRUE(first->unique());
}

TEST(BufferRef, survives_assignment_to_itself) {
    auto const pool = BufferPool::create(1024, 2);
    auto buffer = pool->takeSlab();
    auto const& same = buffer;
    buffer = same;
    ASSERT_TRUE(buffer);
    EXPECT_TRUE(buffer->unique());
}

TEST(BufferPool, knows_how_many_bytes_are_held) {
    auto const pool = BufferPool::create(1024, 2);
    EXPECT_EQ(pool->bytesInUse(), 0U);
    {
        auto const slab = pool->takeSlab();
        auto copy = slab;
        auto const other = pool->take(10);
        EXPECT_EQ(pool->bytesInUse(), 1034U) << "a second reference is not a second buffer";
    }
    EXPECT_EQ(pool->bytesInUse(), 0U) << "the shelf does not count";
}

TEST(BufferPool, gives_out_the_slab_that_was_used_last) {
    auto const pool = BufferPool::create(1024, 2);
    auto first = pool->takeSlab();
    auto second = pool->takeSlab();
    auto const* const last = second.get();
    first.reset();
    second.reset();
    EXPECT_EQ(pool->takeSlab().get(), last);
}

TEST(BufferPool, never_gives_out_a_buffer_that_is_held) {
    auto const pool = BufferPool::create(256, 4);
    std::vector<BufferRef> held;
    for (int round = 0; round < 100; ++round) {
        auto buffer = pool->takeSlab();
        ASSERT_TRUE(buffer->unique());
        std::memset(buffer->data(), round, buffer->capacity());
        if (round % 3 == 0) held.push_back(buffer);
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        ASSERT_EQ(static_cast<std::size_t>(held[i]->data()[255]), i * 3);
    }
}

TEST(BufferPool, lives_as_long_as_its_last_buffer) {
    auto pool = BufferPool::create(1024, 2);
    std::weak_ptr<BufferPool> const watch = pool;
    auto slab = pool->takeSlab();
    auto odd = pool->take(5);
    pool.reset();
    odd.reset();
    EXPECT_FALSE(watch.expired());
    std::memset(slab->data(), 1, slab->capacity());
    slab.reset();
    EXPECT_TRUE(watch.expired()) << "a buffer on the shelf must not hold the pool";
}

TEST(BufferPool, takes_buffers_back_on_any_thread) {
    auto const pool = BufferPool::create(256, 4);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&pool] {
                for (int i = 0; i < 2000; ++i) {
                    auto buffer = pool->takeSlab();
                    buffer->data()[0] = std::byte{1};
                    auto copy = buffer;
                    buffer.reset();
                }
            });
        }
    }
    EXPECT_EQ(pool->bytesInUse(), 0U);
}

}  // namespace
}  // namespace gazellemq::protocol
