#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gazellemq::protocol {

class BufferPool;

/// A block of bytes with a count of its users. Read buffers and batches are Buffers; everybody who needs some of the
/// bytes keeps a BufferRef. The count is atomic because the SDK reads on one thread and delivers on another.
class Buffer {
  public:
    std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this) + kHeaderBytes; }
    std::byte const* data() const noexcept { return reinterpret_cast<std::byte const*>(this) + kHeaderBytes; }
    std::size_t capacity() const noexcept { return capacity_; }
    /// True if the caller's BufferRef is the only one.
    bool unique() const noexcept { return users_.load(std::memory_order_acquire) == 1; }

  private:
    friend class BufferPool;
    friend class BufferRef;
    static constexpr std::size_t kHeaderBytes = 64;

    Buffer(std::size_t capacity, std::shared_ptr<BufferPool> pool) : capacity_(capacity), pool_(std::move(pool)) {}
    static void release(Buffer* buffer) noexcept;

    std::atomic<std::uint32_t> users_{0};
    std::size_t capacity_;
    std::shared_ptr<BufferPool> pool_;  // empty while the buffer rests in the pool
};

/// Shared ownership of a Buffer: a pointer and a count inside the block.
class BufferRef {
  public:
    BufferRef() = default;
    explicit BufferRef(Buffer* buffer) noexcept : buffer_(buffer) { add(); }
    BufferRef(BufferRef const& other) noexcept : buffer_(other.buffer_) { add(); }
    BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
    BufferRef& operator=(BufferRef other) noexcept {
        std::swap(buffer_, other.buffer_);
        return *this;
    }
    ~BufferRef() { reset(); }

    void reset() noexcept {
        auto* buffer = std::exchange(buffer_, nullptr);
        if (buffer && buffer->users_.fetch_sub(1, std::memory_order_acq_rel) == 1) Buffer::release(buffer);
    }
    explicit operator bool() const noexcept { return buffer_ != nullptr; }
    Buffer* operator->() const noexcept { return buffer_; }
    Buffer* get() const noexcept { return buffer_; }

  private:
    void add() const noexcept {
        if (buffer_) buffer_->users_.fetch_add(1, std::memory_order_relaxed);
    }
    Buffer* buffer_ = nullptr;
};

/// Gives out Buffers, keeps a few of the standard size for reuse (the last used first: it is still in the cache) and knows how
/// many bytes are in use. Any thread. Buffers may outlive their owner's interest in the pool.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
  public:
    static constexpr std::size_t kSlabBytes = 128 * 1024;

    /// `slabBytes`: size of what takeSlab() gives; `keep`: how many unused ones are kept.
    static std::shared_ptr<BufferPool> create(std::size_t slabBytes = kSlabBytes, std::size_t keep = 16);
    ~BufferPool();

    BufferRef takeSlab() { return take(slabBytes_); }
    /// A buffer of `capacity` bytes; from the shelf if that is the slab size.
    BufferRef take(std::size_t capacity);
    std::size_t slabBytes() const noexcept { return slabBytes_; }
    /// Bytes of all buffers that somebody holds.
    std::size_t bytesInUse() const noexcept { return bytesInUse_.load(std::memory_order_relaxed); }

  private:
    friend class Buffer;
    BufferPool(std::size_t slabBytes, std::size_t keep) : slabBytes_(slabBytes), keep_(keep) {}
    void giveBack(Buffer* buffer) noexcept;

    std::size_t const slabBytes_;
    std::size_t const keep_;
    std::atomic<std::size_t> bytesInUse_{0};
    std::mutex mutex_;
    std::vector<Buffer*> shelf_;
};

}  // namespace gazellemq::protocol
