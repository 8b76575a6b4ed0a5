#pragma once
#include <cstddef>
#include <cstdint>

#include <boost/container/deque.hpp>

#include "StoredBatch.hpp"

namespace gazellemq::hub {

/// The window of a transient topic's partition: batches with offsets, kept while a reader has still to pass them, and the newest ones
/// for readers to come. Entries are found by index (the number of batches before them); an index stays valid until its entry is passed
/// by all and not retained.
///
/// Readers are counted per entry, apart for those that block publishers and those that do not, so that
/// both "how much do publishers have to wait for" and "may this entry go" are known without looking at the readers.
class MemoryLog {
  public:
    struct Readers {
        std::uint32_t blocking = 0;
        std::uint32_t dropping = 0;
        bool none() const { return blocking == 0 && dropping == 0; }
    };

    struct Entry : StoredBatch {
        std::uint64_t position;  ///< bytes appended before it
        std::uint64_t baseOffset;
        Readers readers;
    };

    /// `retainBytes`: of the newest batches, the last one in any case, stay when no reader needs them; 0: none does.
    explicit MemoryLog(std::size_t retainBytes = 0) : retainBytes_(retainBytes) {}
    void retain(std::size_t bytes);
    /// Gives up all that no reader needs.
    void forgetRetained();

    /// Appends a batch that `readers` have to pass. With no readers and nothing to retain only the offsets move on.
    void append(StoredBatch batch, Readers readers);
    /// One reader is done with the entry at `index`; the front goes as soon as nobody needs it.
    void pass(std::uint64_t index, bool blocking);
    /// One more reader has to pass everything from `index` on.
    void join(std::uint64_t index, bool blocking);

    Entry const& at(std::uint64_t index) const { return entries_[static_cast<std::size_t>(index - beginIndex_)]; }
    std::uint64_t beginIndex() const { return beginIndex_; }
    std::uint64_t endIndex() const { return beginIndex_ + entries_.size(); }
    std::uint64_t beginOffset() const { return entries_.empty() ? endOffset_ : entries_.front().baseOffset; }
    std::uint64_t endOffset() const { return endOffset_; }
    /// Bytes appended since the log began.
    std::uint64_t endPosition() const { return endPosition_; }
    /// The entry that `offset` is in; the first one for smaller offsets, endIndex() for larger ones.
    std::uint64_t indexOf(std::uint64_t offset) const;

    std::size_t bytes() const { return entries_.empty() ? 0 : static_cast<std::size_t>(endPosition_ - entries_.front().position); }
    std::uint64_t messages() const { return messagesFrom(beginIndex_); }
    /// What a reader whose next entry is at `index` has still to pass.
    std::uint64_t messagesFrom(std::uint64_t index) const { return index == endIndex() ? 0 : endOffset_ - at(index).baseOffset; }
    std::uint64_t bytesFrom(std::uint64_t index) const { return index == endIndex() ? 0 : endPosition_ - at(index).position; }
    /// Bytes from the first entry that a blocking reader has still to pass.
    std::size_t blockedBytes() const { return static_cast<std::size_t>(bytesFrom(firstBlocked_)); }
    /// The same of any reader.
    std::size_t neededBytes() const { return static_cast<std::size_t>(bytesFrom(firstNeeded_)); }
    /// The index up to which entries can be given up so that at most `keep` bytes stay: stops at the first entry that a blocking
    /// reader needs.
    std::uint64_t droppableUpTo(std::size_t keep) const;

  private:
    void trim();

    std::size_t retainBytes_;
    boost::container::deque<Entry> entries_;  // costs nothing while it is empty: there are many idle topics
    std::uint64_t beginIndex_ = 0;
    std::uint64_t endOffset_ = 0;
    std::uint64_t endPosition_ = 0;
    std::uint64_t firstBlocked_ = 0;  // index of the first entry with a blocking reader, or endIndex()
    std::uint64_t firstNeeded_ = 0;   // the same with any reader
};

}  // namespace gazellemq::hub
