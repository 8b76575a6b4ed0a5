#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "Buffer.hpp"
#include "Counters.hpp"
#include "MemoryLog.hpp"
#include "Now.hpp"
#include "Reader.hpp"

namespace gazellemq::hub {

/// One log of a topic and its readers: appends batches, wakes the readers that had caught up, and moves on those that are too far behind.
/// Order holds within it. Owned by the Topic. Does not know connections or frames.
class Partition {
  public:
    Partition(Topic& topic, std::uint16_t number, std::size_t retainBytes) : topic_(topic), log_(retainBytes), number_(number) {}
    Partition(Partition const&) = delete;
    Partition& operator=(Partition const&) = delete;

    Topic& topic() const { return topic_; }
    std::uint16_t number() const { return number_; }
    MemoryLog const& log() const { return log_; }
    void retain(std::size_t bytes) { log_.retain(bytes); }
    void forgetRetained() { log_.forgetRetained(); }

    /// Moves the readers that do not block forward until `incoming` bytes fit the partition's window; returns how many messages those
    /// that lose the oldest lost. Readers to be disconnected instead are then in takeTooSlow().
    std::uint64_t makeRoom(std::size_t incoming, bool memoryIsShort, protocol::BufferPool& pool);
    /// Moves them forward until at most `keep` bytes stay, as far as blocking readers allow; the same otherwise.
    std::uint64_t giveUp(std::size_t keep, DropReason reason, protocol::BufferPool& pool);
    std::vector<Subscription*> takeTooSlow() { return std::exchange(tooSlow_, {}); }
    /// Gives up everything for every reader; returns how many messages they lost together.
    std::uint64_t purge(DropReason reason);

    /// Stamps and appends a batch; `batch.bytes` may be written. The readers that had caught up are then in takeIdle().
    void append(StoredBatch batch, Now now);
    /// Readers with something new to deliver; they come back with waitForAppend.
    std::vector<Cursor*> takeIdle();
    /// One of them.
    void takeFromIdle(Cursor& cursor);

    /// `cursor` begins where its subscription says.
    void attach(Cursor& cursor, protocol::BufferPool& pool);
    void detach(Cursor& cursor);
    /// `cursor` has delivered the entry at cursor.next.
    void advance(Cursor& cursor);
    /// `cursor` is at the end and waits until the next append.
    void waitForAppend(Cursor& cursor);
    /// Is `cursor` behind, and may miss what newer messages replace?
    bool wantsConflation(Cursor const& cursor) const;
    /// Leaves to a reader that is behind only the newest of each key.
    void conflate(Cursor& cursor, protocol::BufferPool& pool);

    std::vector<Cursor*> const& cursors() const { return cursors_; }
    /// Subscriptions to which a batch of that producer goes.
    std::uint32_t hearers(std::uint64_t producerId) const;
    /// No reader has anything to take or to be told.
    bool allWait() const { return idle_.size() == cursors_.size(); }
    /// What `cursor` has still to be given.
    std::uint64_t lagMessages(Cursor const& cursor) const;
    std::uint64_t lagBytes(Cursor const& cursor) const;

  private:
    std::size_t window() const;
    std::uint64_t skip(Cursor& cursor, std::uint64_t target, DropReason reason);
    std::uint64_t dropOwn(Cursor& cursor, std::size_t keep, DropReason reason);
    void countDropped(Cursor& cursor, std::uint64_t messages, DropReason reason);
    void conflateLagging(protocol::BufferPool& pool);
    void findStart(Cursor& cursor, protocol::BufferPool& pool);

    Topic& topic_;
    MemoryLog log_;
    std::uint16_t const number_;
    std::vector<Cursor*> cursors_;
    std::vector<Cursor*> idle_;
    MemoryLog::Readers readers_;
    std::uint32_t conflating_ = 0;
    std::uint32_t choosy_ = 0;  // of them, those that do not hear every producer
    std::uint64_t conflateAt_ = 0;  // position of the log from which to look again for whom to conflate
    std::vector<Subscription*> tooSlow_;
};

}  // namespace gazellemq::hub
