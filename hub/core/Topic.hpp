#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "Buffer.hpp"
#include "Cursor.hpp"
#include "gazellemq/hub/Limits.hpp"
#include "MemoryLog.hpp"
#include "Now.hpp"
#include "Publication.hpp"

namespace gazellemq::hub {

/// A named log with its readers and its writers: appends batches, wakes the readers that had caught up, and shares the room
/// of its window among its publishers as credit. Owned by the Broker. Does not know connections or frames.
class Topic {
  public:
    Topic(std::uint32_t id, std::string name, Limits const& limits) : id_(id), name_(std::move(name)), limits_(limits) {}
    Topic(Topic const&) = delete;
    Topic& operator=(Topic const&) = delete;

    std::uint32_t id() const { return id_; }
    std::string const& name() const { return name_; }
    MemoryLog const& log() const { return log_; }

    /// Moves the readers that lose the oldest forward until `incoming` bytes fit the window; returns how many messages they lost.
    /// Readers to be disconnected instead are then in takeTooSlow().
    std::uint64_t makeRoom(std::size_t incoming, bool memoryIsShort);
    /// Moves them forward until at most `keep` bytes stay, as far as blocking readers allow; the same otherwise.
    std::uint64_t giveUp(std::size_t keep);
    std::vector<Subscription*> takeTooSlow() { return std::exchange(tooSlow_, {}); }
    /// Stamps and appends a batch. The readers that had caught up are then in takeIdle().
    void append(protocol::BufferRef owner, std::span<std::byte> batch, std::uint32_t count, Now now);
    /// Readers with something new to deliver; they come back with waitForAppend.
    std::vector<Cursor*> takeIdle();

    void attach(Cursor& cursor);
    void detach(Cursor& cursor);
    /// `cursor` has delivered the entry at cursor.next.
    void advance(Cursor& cursor);
    /// `cursor` is at the end and waits in this topic until the next append.
    void waitForAppend(Cursor& cursor);

    void attach(Publication& publication);
    void detach(Publication& publication);
    /// A batch of `bytes` arrived on `publication`.
    void countReceived(Publication& publication, std::size_t bytes);
    /// Raises the publication's credit as far as the window and `most` bytes of the hub's memory allow. True if it changed.
    bool extendCredit(Publication& publication, bool memoryIsShort, std::uint64_t most = UINT64_MAX);
    /// Publications that waited for room and may get some now; empty while there is none.
    std::vector<Publication*> takeFed(bool memoryIsShort);
    bool hasStarved() const { return !starved_.empty(); }

    std::vector<Cursor*> const& cursors() const { return cursors_; }
    /// No reader has anything to take or to be told.
    bool allWait() const { return idle_.size() == cursors_.size(); }
    /// Nobody publishes, nobody reads it by name: readers by wildcard do not keep a topic.
    bool unused() const { return publications_ == 0 && readersByName_ == 0; }
    /// A publisher's share of the window, in bytes.
    std::uint64_t share() const;

    std::int64_t lastUsedMs = 0;
    bool inIdleQueue = false;  ///< the broker looks after idleTopicTtl whether it can go

  private:
    std::int64_t room() const;

    std::uint32_t const id_;
    std::string const name_;
    Limits const& limits_;
    MemoryLog log_;
    std::vector<Cursor*> cursors_;
    std::vector<Cursor*> idle_;
    MemoryLog::Readers readers_;
    std::size_t publications_ = 0;
    std::uint64_t unusedCredit_ = 0;  // over all publications
    std::size_t readersByName_ = 0;
    std::vector<Publication*> starved_;
    std::vector<Subscription*> tooSlow_;
};

}  // namespace gazellemq::hub
