#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "AdminPort.hpp"
#include "Batch.hpp"
#include "Buffer.hpp"
#include "ControlFrames.hpp"
#include "Counters.hpp"
#include "gazellemq/hub/Limits.hpp"
#include "Now.hpp"
#include "Topics.hpp"

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
    Topics const& topics() const { return topics_; }
    std::size_t topicCount() const { return topics_.size(); }
    std::size_t sessionCount() const { return sessions_.size(); }
    std::size_t subscriptionCount() const { return subscriptionCount_; }

    /// Are the buffers so near to maxMemory that publishers get no new credit?
    bool memoryIsShort() const { return pool_->bytesInUse() > memoryLimit(); }

    // For administrators. Names need not be valid.
    void setAdmin(AdminPort& admin) { admin_ = &admin; }
    /// To a session that may have gone meanwhile.
    void answer(std::uint64_t session, protocol::AdminReply const& reply);
    /// nullptr if there is none.
    Session* findSession(std::uint64_t id) const;
    std::map<std::uint64_t, Session*> const& sessionsById() const { return sessionsById_; }
    Error createTopic(std::string_view name, TopicSettings const& settings);
    /// Publishers and readers are told; what readers have not got is counted as dropped.
    Error deleteTopic(std::string_view name);
    void changeTopic(Topic& topic, TopicSettings const& settings);
    void pauseTopic(Topic& topic, bool paused);
    /// Gives up what waits in the window; the number of messages, counted for each reader that loses them.
    std::uint64_t purgeTopic(Topic& topic);
    Topic* findTopic(std::string_view name) const { return topics_.find(name); }

    // For sessions.
    AdminPort* admin() const { return admin_; }
    void wake(Session& session);
    /// Twice maxMemory is the end for batches that readers would have to be served from. Honest publishers without new credit do not
    /// get there: each has one batch left per topic. One that opens many topics to send 8 MB to each would.
    bool mustRefuse(Publication const& publication) const {
        return pool_->bytesInUse() / 2 > limits_.maxMemory && !publication.topic->readers().empty();
    }
    void countViolation() { ++counters_.violations; }
    void countRefused() { ++counters_.batchesRefused; }
    void countSilent() { ++counters_.sessionsSilent; }
    void countStalled() { ++counters_.sessionsStalled; }
    /// The topic of that valid name, made if need be; or nullptr and noSuchTopic (without limits().autoCreate) or tooManyTopics in
    /// `error`.
    Topic* topic(std::string_view name, Error& error);
    /// A batch as a publisher sent it. `buffer` is what its bytes lie in.
    struct Received {
        protocol::BufferRef const& buffer;
        std::span<std::byte> bytes;
        protocol::BatchHeader const& header;
        std::uint16_t partition;  ///< 0: the hub chooses; otherwise one more than its number
    };
    /// Takes it into a topic. False if it is damaged and the hub had to look inside.
    bool append(Publication& publication, Received const& received);
    void countExpired(Topic& topic, std::uint64_t messages);
    void countDelivered(Topic& topic, Subscription& subscription, std::size_t bytes, std::uint64_t messages);
    /// May be refused: tooManyTopics, tooManySubscriptions of the topic, policyNotAllowed, noSuchPartition.
    Error subscribe(Subscription& subscription);
    void unsubscribe(Subscription& subscription);
    /// More credit and the confirms so far, if that is worth a frame (`now`: in any case).
    void confirm(Publication& publication, bool now);
    void forget(Publication& publication);
    /// A session answered DRAIN.
    void sessionDrained();

  private:
    void store(Publication& publication, Partition& partition, protocol::BufferRef owner, std::span<std::byte> batch, std::uint32_t count,
               std::uint32_t leastTtlMs);
    bool storeByKey(Publication& publication, Received const& received, std::uint32_t leastTtlMs);
    /// After a change of what the publisher of `publication` may still send.
    void countPromise(Publication const& publication, std::uint64_t unusedBefore);
    void offer(Cursor& cursor);
    void offerStart(Subscription& subscription);
    void offerWaiting(Partition& partition);
    void forgetRetained();
    void countDropped(std::uint64_t messages, DropReason reason) { counters_.dropped.*reason += messages; }
    void removePublications(Topic& topic, Error code);
    void feed(Topic& topic);
    void disconnectSlow(Partition& partition);
    void reclaim();
    /// From 7/8 of maxMemory on there is no new credit.
    std::size_t memoryLimit() const { return limits_.maxMemory - limits_.maxMemory / 8; }
    void noteUnused(Topic& topic) { topics_.noteUnused(topic, now_.steadyMs, limits_.idleTopicTtl.count()); }
    void removeIdleTopics();
    void remove(Topic& topic, Error code);

    Limits const limits_;
    std::shared_ptr<protocol::BufferPool> pool_;
    protocol::Id const serverId_;
    std::function<void()> onAwake_;
    Now now_;
    Counters counters_;
    Topics topics_{*pool_};
    std::unordered_map<Session*, std::unique_ptr<Session>> sessions_;
    std::map<std::uint64_t, Session*> sessionsById_;
    std::uint64_t nextSessionId_ = 1;
    AdminPort* admin_ = nullptr;
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
    std::int64_t nextForgetMs_ = 0;   // the same of forgetRetained()
    std::size_t subscriptionCount_ = 0;
    bool draining_ = false;
    std::size_t undrained_ = 0;  // sessions that have not answered DRAIN
};

}  // namespace gazellemq::hub
