#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "Buffer.hpp"
#include "Counters.hpp"
#include "Cursor.hpp"
#include "gazellemq/hub/Limits.hpp"
#include "MemoryLog.hpp"
#include "Now.hpp"
#include "Publication.hpp"
#include "TopicSettings.hpp"

namespace gazellemq::hub {

/// A named log with its readers and its writers: appends batches, wakes the readers that had caught up, and shares the room
/// of its window among its publishers as credit. Owned by the Broker. Does not know connections or frames.
class Topic {
  public:
    Topic(std::uint32_t id, std::string name, TopicSettings const& settings) : id_(id), name_(std::move(name)), settings_(settings) {}
    Topic(Topic const&) = delete;
    Topic& operator=(Topic const&) = delete;

    std::uint32_t id() const { return id_; }
    std::string const& name() const { return name_; }
    MemoryLog const& log() const { return log_; }
    TopicSettings const& settings() const { return settings_; }
    /// Subscriptions keep the policy that they began with. A smaller window holds from the next append on.
    void change(TopicSettings const& settings) { settings_ = settings; }
    /// What a subscription gets: what it chose, if the topic allows that.
    SlowPolicy policyFor(Subscription const& subscription) const;
    bool allows(SlowPolicy policy, bool byWildcard) const;

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

    /// Gives up everything in the window for every reader; returns how many messages they lost together.
    std::uint64_t purge();

    std::vector<Cursor*> const& cursors() const { return cursors_; }
    std::vector<Publication*> const& publications() const { return publications_; }
    /// No reader has anything to take or to be told.
    bool allWait() const { return idle_.size() == cursors_.size(); }
    /// Nobody publishes, nobody reads it by name: readers by wildcard do not keep a topic.
    bool unused() const { return publications_.empty() && readersByName_ == 0; }
    /// A publisher's share of the window, in bytes.
    std::uint64_t share() const;

    std::int64_t lastUsedMs = 0;
    bool inIdleQueue = false;  ///< the broker looks after idleTopicTtl whether it can go
    bool created = false;      ///< by an administrator: stays until it is deleted
    bool paused = false;       ///< nothing is delivered; what is published waits in the window
    TopicCounters counters;

  private:
    std::int64_t room() const;
    std::uint64_t skip(Cursor& cursor, std::uint64_t target);

    std::uint32_t const id_;
    std::string const name_;
    TopicSettings settings_;
    MemoryLog log_;
    std::vector<Cursor*> cursors_;
    std::vector<Cursor*> idle_;
    MemoryLog::Readers readers_;
    std::vector<Publication*> publications_;
    std::uint64_t unusedCredit_ = 0;  // over all publications
    std::size_t readersByName_ = 0;
    std::vector<Publication*> starved_;
    std::vector<Subscription*> tooSlow_;
};

}  // namespace gazellemq::hub
