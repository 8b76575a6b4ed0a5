#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "Buffer.hpp"
#include "ControlFrames.hpp"
#include "Counters.hpp"
#include "gazellemq/hub/Limits.hpp"
#include "Now.hpp"
#include "Topic.hpp"
#include "TopicTree.hpp"

namespace gazellemq::hub {

class Session;

/// The core: topics, sessions, and what passes between them. One thread; no sockets, clocks or locks. The shell drives it:
///
///     broker.setNow(now);                        // before anything else of an event
///     session.receive(frame, buffer) ...         // what arrived
///     for (Session* s : broker.takeAwake()) ...  // whose output() has something to write
///     broker.tick()                              // about every second, and shortTick() soon after wantsShortTick()
class Broker {
  public:
    /// `onAwake` is called when takeAwake() becomes non-empty: the shell writes at the end of its turn, so that what one
    /// turn appends leaves in one write.
    Broker(Limits const& limits, std::shared_ptr<protocol::BufferPool> pool, protocol::Id serverId,
           std::function<void()> onAwake);
    ~Broker();

    Session& open(std::string peer);
    /// Ends a session: its connection is gone.
    void close(Session& session);

    void setNow(Now now) { now_ = now; }
    Now now() const { return now_; }
    /// Heartbeats, handshake and stall limits, idle topics.
    void tick();
    /// Confirms that were held back to be sent together, publishers that wait for memory.
    void shortTick();
    bool wantsShortTick() const { return !due_.empty() || !hungry_.empty() || draining_; }
    std::vector<Session*> takeAwake();

    /// Starts the drain: tells every client to stop publishing. drained() when all of them are gone.
    void drain();
    bool draining() const { return draining_; }
    bool drained() const { return sessions_.empty(); }
    /// Says goodbye to whoever is left.
    void endDrain();

    Limits const& limits() const { return limits_; }
    Counters const& counters() const { return counters_; }
    protocol::Id const& serverId() const { return serverId_; }
    protocol::BufferPool& pool() { return *pool_; }
    std::size_t topicCount() const { return topics_.size(); }
    std::size_t sessionCount() const { return sessions_.size(); }
    std::size_t subscriptionCount() const { return subscriptionCount_; }

    /// Are the buffers so near to maxMemory that publishers get no new credit?
    bool memoryIsShort() const { return pool_->bytesInUse() > memoryLimit(); }

    // For sessions.
    void wake(Session& session);
    /// Twice maxMemory is the end for batches that readers would have to be served from. Honest publishers without new credit do not
    /// get there: each has one batch left per topic. One that opens many topics to send 8 MB to each would.
    bool mustRefuse(Publication const& publication) const {
        return pool_->bytesInUse() / 2 > limits_.maxMemory && !publication.topic->cursors().empty();
    }
    void countViolation() { ++counters_.violations; }
    void countSilent() { ++counters_.sessionsSilent; }
    void countStalled() { ++counters_.sessionsStalled; }
    /// The topic of that valid name, made if need be; nullptr at the limit.
    Topic* topic(std::string_view name);
    /// Takes a received batch into a topic. `buffer` is what `batch` lies in.
    void append(Publication& publication, protocol::BufferRef const& buffer, std::span<std::byte> batch,
                std::uint32_t count);
    void countDelivered(Topic& topic, Subscription& subscription, std::size_t bytes, std::uint64_t messages);
    /// False at the topic limit.
    bool subscribe(Subscription& subscription);
    void unsubscribe(Subscription& subscription);
    /// More credit and the confirms so far, if that is worth a frame (`now`: in any case).
    void confirm(Publication& publication, bool now);
    void forget(Publication& publication);
    /// A session answered DRAIN.
    void sessionDrained();

  private:
    /// After a change of what the publisher of `publication` may still send.
    void countPromise(Publication const& publication, std::uint64_t unusedBefore);
    void attach(Subscription& subscription, Topic& topic);
    void feed(Topic& topic);
    void disconnectSlow(Topic& topic);
    void reclaim();
    /// From 7/8 of maxMemory on there is no new credit.
    std::size_t memoryLimit() const { return limits_.maxMemory - limits_.maxMemory / 8; }
    void noteUnused(Topic& topic);
    void removeIdleTopics();
    void remove(Topic& topic);

    Limits const limits_;
    std::shared_ptr<protocol::BufferPool> pool_;
    protocol::Id const serverId_;
    std::function<void()> onAwake_;
    Now now_;
    Counters counters_;
    std::map<std::string_view, std::unique_ptr<Topic>> topics_;  // by name, as patterns begin with one; keys point into the topics
    TopicTree tree_;
    std::unordered_map<Session*, std::unique_ptr<Session>> sessions_;
    /// When tick() has to look at a session. Side by side, as most of thousands need no look most of the time.
    struct Look {
        std::int64_t dueMs;
        Session* session;
    };
    std::vector<Look> looks_;
    std::vector<Session*> awake_;
    std::vector<Session*> due_;   // with confirms to send soon
    std::uint64_t promised_ = 0;  // credit that publishers have not used, over all topics
    std::unordered_set<Topic*> hungry_;
    std::int64_t nextReclaimMs_ = 0;  // after it was in vain
    std::uint32_t nextTopicId_ = 1;
    std::size_t subscriptionCount_ = 0;
    std::deque<std::pair<std::int64_t, Topic*>> idleTopics_;  // when to look whether an unused topic can go
    bool draining_ = false;
    std::size_t undrained_ = 0;  // sessions that have not answered DRAIN
};

}  // namespace gazellemq::hub
