#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

#include "Buffer.hpp"
#include "Bytes.hpp"

namespace gazellemq::hub {

/// The window of a transient topic: batches with offsets, kept while a reader has still to pass them. Entries are found
/// by index (the number of batches before them); an index stays valid until its entry is passed by all.
///
/// Readers are counted per entry, apart for those that block publishers and those that lose the oldest, so that
/// both "how much do publishers have to wait for" and "may this entry go" are known without looking at the readers.
class MemoryLog {
  public:
    struct Readers {
        std::uint32_t blocking = 0;
        std::uint32_t dropping = 0;
        bool none() const { return blocking == 0 && dropping == 0; }
    };

    struct Entry {
        protocol::BufferRef owner;
        protocol::ByteView bytes;
        std::uint64_t position;  ///< bytes appended before it
        std::uint64_t baseOffset;
        std::uint32_t count;
        Readers readers;
    };

    /// Appends a batch of `count` messages that `readers` have to pass. With no readers only the offsets move on.
    void append(protocol::BufferRef owner, protocol::ByteView bytes, std::uint32_t count, Readers readers);
    /// One reader is done with the entry at `index`; the front goes as soon as nobody needs it.
    void pass(std::uint64_t index, bool blocking);

    Entry const& at(std::uint64_t index) const { return entries_[static_cast<std::size_t>(index - beginIndex_)]; }
    std::uint64_t beginIndex() const { return beginIndex_; }
    std::uint64_t endIndex() const { return beginIndex_ + entries_.size(); }
    std::uint64_t endOffset() const { return endOffset_; }

    std::size_t bytes() const { return entries_.empty() ? 0 : static_cast<std::size_t>(endPosition_ - entries_.front().position); }
    std::uint64_t messages() const { return messagesFrom(beginIndex_); }
    /// What a reader whose next entry is at `index` has still to pass.
    std::uint64_t messagesFrom(std::uint64_t index) const { return index == endIndex() ? 0 : endOffset_ - at(index).baseOffset; }
    std::uint64_t bytesFrom(std::uint64_t index) const { return index == endIndex() ? 0 : endPosition_ - at(index).position; }
    /// Bytes from the first entry that a blocking reader has still to pass.
    std::size_t blockedBytes() const;
    /// The index up to which entries can be given up so that at most `keep` bytes stay: stops at the first entry that a blocking
    /// reader needs.
    std::uint64_t droppableUpTo(std::size_t keep) const;

  private:
    std::deque<Entry> entries_;
    std::uint64_t beginIndex_ = 0;
    std::uint64_t endOffset_ = 0;
    std::uint64_t endPosition_ = 0;
    std::uint64_t firstBlocked_ = 0;  // index of the first entry with a blocking reader, or endIndex()
};

}  // namespace gazellemq::hub
