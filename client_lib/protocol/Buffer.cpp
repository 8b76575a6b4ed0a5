#include "Buffer.hpp"

#include <new>

namespace gazellemq::protocol {

static_assert(sizeof(Buffer) <= 64, "the bytes begin 64 bytes behind the block's start");

void Buffer::release(Buffer* buffer) noexcept {
    // The pool must outlive giveBack: the buffer may hold the last reference to it.
    auto const pool = std::move(buffer->pool_);
    pool->giveBack(buffer);
}

std::shared_ptr<BufferPool> BufferPool::create(std::size_t slabBytes, std::size_t keep) {
    std::shared_ptr<BufferPool> pool{new BufferPool(slabBytes, keep)};
    pool->shelf_.reserve(keep);
    return pool;
}

BufferPool::~BufferPool() {
    for (auto* buffer : shelf_) {
        buffer->~Buffer();
        ::operator delete(buffer);
    }
}

BufferRef BufferPool::take(std::size_t capacity) {
    bytesInUse_.fetch_add(capacity, std::memory_order_relaxed);
    if (capacity == slabBytes_) {
        std::lock_guard const lock{mutex_};
        if (!shelf_.empty()) {
            auto* buffer = shelf_.back();
            shelf_.pop_back();
            buffer->pool_ = shared_from_this();
            return BufferRef{buffer};
        }
    }
    auto* memory = ::operator new(Buffer::kHeaderBytes + capacity);
    return BufferRef{new (memory) Buffer(capacity, shared_from_this())};
}

void BufferPool::giveBack(Buffer* buffer) noexcept {
    bytesInUse_.fetch_sub(buffer->capacity_, std::memory_order_relaxed);
    if (buffer->capacity_ == slabBytes_) {
        std::lock_guard const lock{mutex_};
        if (shelf_.size() < keep_) {
            shelf_.push_back(buffer);
            return;
        }
    }
    buffer->~Buffer();
    ::operator delete(buffer);
}

}  // namespace gazellemq::protocol
