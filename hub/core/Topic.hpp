#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Counters.hpp"
#include "Partition.hpp"
#include "Publication.hpp"
#include "Reader.hpp"
#include "TopicSettings.hpp"
#include "gazellemq/hub/Limits.hpp"

namespace gazellemq::hub {

/// A name, its partitions, its readers and its writers: shares the room of its window among its publishers as credit. Owned by the
/// Broker. Does not know connections or frames.
class Topic {
  public:
    Topic(std::uint32_t id, std::string name, TopicSettings const& settings);
    Topic(Topic const&) = delete;
    Topic& operator=(Topic const&) = delete;

    std::uint32_t id() const { return id_; }
    std::string const& name() const { return name_; }
    TopicSettings const& settings() const { return settings_; }
    /// Subscriptions keep the policy that they began with. A smaller window holds from the next append on. The partitions stay.
    void change(TopicSettings const& settings);
    /// What a subscription gets: what it chose, if the topic allows that.
    SlowPolicy policyFor(Subscription const& subscription) const;
    bool allows(SlowPolicy policy, bool byWildcard) const;

    std::uint16_t partitionCount() const { return static_cast<std::uint16_t>(partitions_.size()); }
    Partition& partition(std::uint16_t number) { return *partitions_[number]; }
    std::vector<std::unique_ptr<Partition>> const& partitions() const { return partitions_; }
    /// Where the next batch without keys goes.
    std::uint16_t nextPartition() { return static_cast<std::uint16_t>(rounds_++ % partitions_.size()); }

    /// What all partitions hold, or give up; see Partition.
    std::size_t bytes() const;
    std::uint64_t messages() const;
    std::uint64_t giveUp(std::size_t keep, DropReason reason, protocol::BufferPool& pool);
    std::uint64_t purge(DropReason reason);
    void forgetRetained();

    /// A cursor for each partition that the reader's subscription reads; none if it has chosen one that there is not.
    void attach(Reader& reader, protocol::BufferPool& pool);
    void detach(Reader& reader);

    void attach(Publication& publication);
    void detach(Publication& publication);
    /// A batch of `bytes` arrived on `publication`.
    void countReceived(Publication& publication, std::size_t bytes);
    /// Raises the publication's credit as far as the window and `most` bytes of the hub's memory allow. True if it changed.
    bool extendCredit(Publication& publication, bool memoryIsShort, std::uint64_t most = UINT64_MAX);
    /// Publications that waited for room and may get some now; empty while there is none.
    std::vector<Publication*> takeFed(bool memoryIsShort);
    bool hasStarved() const { return !starved_.empty(); }

    std::vector<Reader*> const& readers() const { return readers_; }
    std::vector<Publication*> const& publications() const { return publications_; }
    /// No reader has anything to take or to be told.
    bool allWait() const;
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

    std::uint32_t const id_;
    std::string const name_;
    TopicSettings settings_;
    std::vector<std::unique_ptr<Partition>> partitions_;
    std::uint64_t rounds_ = 0;
    std::vector<Reader*> readers_;
    std::vector<Publication*> publications_;
    std::uint64_t unusedCredit_ = 0;  // over all publications
    std::size_t readersByName_ = 0;
    std::vector<Publication*> starved_;
};

}  // namespace gazellemq::hub
