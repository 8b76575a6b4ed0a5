#include "Broker.hpp"

#include <algorithm>

#include "Session.hpp"
#include "Subscription.hpp"
#include "TopicName.hpp"

namespace gazellemq::hub {
namespace {

/// A batch that fills less than this part of its read buffer is copied out, so that a waiting one does not pin a large
/// buffer. A full 32 KB batch in a 128 KB buffer stays where it is.
constexpr std::size_t kCopyBelowPart = 5;
/// After looking in vain for something to give up: it looks at every topic.
constexpr std::int64_t kReclaimPauseMs = 1000;

}  // namespace

Broker::Broker(Limits const& limits, std::shared_ptr<protocol::BufferPool> pool, protocol::Id serverId,
               std::function<void()> onAwake)
    : limits_(limits), pool_(std::move(pool)), serverId_(serverId), onAwake_(std::move(onAwake)) {}

Broker::~Broker() {
    onAwake_ = [] {};
    while (!sessions_.empty()) close(*sessions_.begin()->first);
}

Session& Broker::open(std::string peer) {
    auto session = std::make_unique<Session>(*this, std::move(peer));
    auto& opened = *session;
    sessions_.emplace(&opened, std::move(session));
    opened.lookIndex = looks_.size();
    looks_.push_back({now_.steadyMs, &opened});
    ++counters_.sessionsOpened;
    if (draining_) {
        ++undrained_;
        opened.startDrain();
    }
    return opened;
}

void Broker::close(Session& session) {
    auto const at = sessions_.find(&session);
    if (draining_ && !session.drainAnswered()) --undrained_;
    looks_.back().session->lookIndex = session.lookIndex;
    looks_[session.lookIndex] = looks_.back();
    looks_.pop_back();
    // What it read may feed its own publications: that does not wake it any more.
    if (std::exchange(session.awake, true)) std::erase(awake_, &session);
    if (session.due) std::erase(due_, &session);
    // Out of the map first: its destructor calls back to end its subscriptions and publications.
    auto const owned = std::move(at->second);
    sessions_.erase(at);
}

void Broker::wake(Session& session) {
    if (session.awake) return;
    session.awake = true;
    awake_.push_back(&session);
    if (awake_.size() == 1) onAwake_();
}

std::vector<Session*> Broker::takeAwake() {
    for (auto* session : awake_) session->awake = false;
    return std::exchange(awake_, {});
}

Topic* Broker::topic(std::string_view name) {
    if (auto const at = topics_.find(name); at != topics_.end()) return at->second.get();
    if (topics_.size() >= limits_.maxTopics) return nullptr;
    auto made = std::make_unique<Topic>(nextTopicId_++, std::string{name}, limits_);
    auto& topic = *made;
    topics_.emplace(topic.name(), std::move(made));
    tree_.match(topic.name(), [&](Subscription& subscription) { attach(subscription, topic); });
    return &topic;
}

void Broker::append(Publication& publication, protocol::BufferRef const& buffer, std::span<std::byte> batch,
                    std::uint32_t count) {
    auto& topic = *publication.topic;
    topic.lastUsedMs = now_.steadyMs;
    auto const unusedBefore = publication.unused();
    topic.countReceived(publication, batch.size());
    countPromise(publication, unusedBefore);
    publication.sequence += count;
    counters_.messagesIn += count;
    counters_.bytesIn += batch.size();

    auto owner = buffer;
    // What counts is bytes of batches when credit is promised, and capacity of buffers when memory is measured: near the limit they
    // have to be the same.
    auto const part = pool_->bytesInUse() > memoryLimit() / 4 ? 1 : kCopyBelowPart;
    if (batch.size() * part < buffer->capacity() && !topic.cursors().empty()) {
        owner = pool_->take(batch.size());
        std::copy(batch.begin(), batch.end(), owner->data());
        batch = {owner->data(), batch.size()};
    }
    counters_.messagesDropped += topic.makeRoom(batch.size(), memoryIsShort());
    disconnectSlow(topic);
    topic.append(std::move(owner), batch, count, now_);
    for (auto* cursor : topic.takeIdle()) {
        auto& subscription = *cursor->subscription;
        if (subscription.ready().empty()) subscription.lastProgressMs = now_.steadyMs;
        subscription.ready().push_back(cursor);
        subscription.session().offer(subscription);
    }
    confirm(publication, false);
}

/// Ends the sessions of the readers that are to be disconnected when they fall behind.
void Broker::disconnectSlow(Topic& topic) {
    // Failing a session frees its subscriptions, of which several may be too slow: names first.
    std::vector<std::pair<Session*, std::string>> sessions;
    for (auto const* subscription : topic.takeTooSlow()) {
        sessions.emplace_back(&subscription->session(), "the subscription to '" + subscription->pattern() +
                                                            "' fell further behind than topic '" + topic.name() + "' keeps");
    }
    for (auto const& [session, reason] : sessions) session->fail(Error::slowConsumer, reason);
}

void Broker::countDelivered(Topic& topic, Subscription& subscription, std::size_t bytes, std::uint64_t messages) {
    counters_.messagesOut += messages;
    counters_.bytesOut += bytes;
    subscription.lastProgressMs = now_.steadyMs;
    if (topic.hasStarved()) feed(topic);
}

bool Broker::subscribe(Subscription& subscription) {
    if (protocol::hasWildcard(subscription.pattern())) {
        tree_.add(subscription.pattern(), subscription);
        auto const& pattern = subscription.pattern();
        auto const prefix = std::string_view{pattern}.substr(0, pattern.find_first_of("*>"));
        for (auto at = topics_.lower_bound(prefix); at != topics_.end() && at->first.starts_with(prefix); ++at) {
            if (protocol::matches(pattern, at->first)) attach(subscription, *at->second);
        }
    } else {
        auto* found = topic(subscription.pattern());
        if (!found) return false;
        attach(subscription, *found);
    }
    ++subscriptionCount_;
    return true;
}

void Broker::attach(Subscription& subscription, Topic& topic) {
    auto& cursor = subscription.cursors()[&topic];
    cursor = std::make_unique<Cursor>(Cursor{&topic, &subscription});
    topic.attach(*cursor);
    topic.lastUsedMs = now_.steadyMs;
}

void Broker::unsubscribe(Subscription& subscription) {
    --subscriptionCount_;
    if (protocol::hasWildcard(subscription.pattern())) tree_.remove(subscription.pattern(), subscription);
    for (auto const& [topic, cursor] : subscription.cursors()) {
        topic->detach(*cursor);
        noteUnused(*topic);
        if (topic->hasStarved()) feed(*topic);
    }
    subscription.cursors().clear();
    subscription.ready().clear();
}

void Broker::confirm(Publication& publication, bool now) {
    auto& topic = *publication.topic;
    if (!now && publication.received - publication.receivedAtConfirm < topic.share() / 2) {
        // Without anybody to write to, the shell has still to look at wantsShortTick().
        if (due_.empty() && awake_.empty()) onAwake_();
        if (publication.session->confirmLater(publication)) due_.push_back(publication.session);
        return;
    }
    auto const unusedBefore = publication.unused();
    auto& session = *publication.session;
    auto const left = [](std::uint64_t limit, std::uint64_t taken) { return limit > taken ? limit - taken : 0; };
    auto const promised = promised_ - unusedBefore;
    auto const memory = std::min(left(memoryLimit(), pool_->bytesInUse() + promised), left(memoryLimit() / 2, promised));
    auto const most = std::min(memory, left(limits_.maxUnconfirmedBytes, session.unusedCredit - unusedBefore));
    // Idle publishers hold promises: the others go on, batch by batch, but leave room for what was promised.
    auto const isShort = memoryIsShort() || (memory == 0 && pool_->bytesInUse() > memoryLimit() / 2);
    auto const extended = topic.extendCredit(publication, isShort, most);
    countPromise(publication, unusedBefore);
    if (publication.starved) {
        hungry_.insert(&topic);
        if (isShort && !std::exchange(publication.toldOfMemory, true)) {
            session.send(protocol::Notice{publication.handle, Error::hubMemoryFull, describe(Error::hubMemoryFull)});
        }
    }
    if (extended) publication.toldOfMemory = false;
    if (!extended && publication.sequence == publication.confirmedSequence) return;
    publication.receivedAtConfirm = publication.received;
    publication.confirmedSequence = publication.sequence;
    session.send(protocol::Confirm{publication.handle, publication.sequence, publication.credit});
}

void Broker::countPromise(Publication const& publication, std::uint64_t unusedBefore) {
    auto const change = publication.unused() - unusedBefore;  // modulo 2^64: it may be negative
    promised_ += change;
    publication.session->unusedCredit += change;
}

void Broker::forget(Publication& publication) {
    auto& topic = *publication.topic;
    publication.session->unusedCredit -= publication.unused();
    promised_ -= publication.unused();
    topic.detach(publication);
    topic.lastUsedMs = now_.steadyMs;
    noteUnused(topic);
    if (topic.hasStarved()) feed(topic);
}

/// Room came back in a topic: more credit for publishers that were waiting for it.
void Broker::feed(Topic& topic) {
    for (auto* publication : topic.takeFed(memoryIsShort())) confirm(*publication, true);
    if (!topic.hasStarved()) hungry_.erase(&topic);
}

/// Publishers wait for memory: slow readers that lose the oldest do so in all topics, as those that nobody publishes to would keep
/// it for ever. Each topic keeps its part of a quarter of the memory, so that this is not done again soon.
void Broker::reclaim() {
    auto const few = memoryLimit() / 4;
    auto const isShort = [&] { return pool_->bytesInUse() > 2 * few && pool_->bytesInUse() + promised_ >= memoryLimit(); };
    if (topics_.empty() || !isShort() || now_.steadyMs < nextReclaimMs_) return;
    auto const keep = std::min(limits_.windowBytes / 8, few / topics_.size());
    for (auto const& [name, topic] : topics_) {
        counters_.messagesDropped += topic->giveUp(keep);
        disconnectSlow(*topic);
        if (pool_->bytesInUse() <= few) return;
    }
    if (isShort()) nextReclaimMs_ = now_.steadyMs + kReclaimPauseMs;
}

void Broker::shortTick() {
    for (auto* session : std::exchange(due_, {})) {
        session->due = false;
        session->confirmDue();
    }
    if (!hungry_.empty()) reclaim();
    for (auto* topic : std::vector<Topic*>(hungry_.begin(), hungry_.end())) feed(*topic);
    if (draining_ && undrained_ == 0) {
        for (auto const& [session, owned] : sessions_) session->finishDrain();
    }
}

void Broker::tick() {
    // Sessions are closed by the shell, never here, so the list does not change.
    for (auto& look : looks_) {
        if (look.dueMs <= now_.steadyMs) look.dueMs = look.session->tick();
    }
    removeIdleTopics();
}

void Broker::noteUnused(Topic& topic) {
    if (!topic.unused() || topic.inIdleQueue) return;
    topic.inIdleQueue = true;
    idleTopics_.emplace_back(now_.steadyMs + limits_.idleTopicTtl.count(), &topic);
}

void Broker::removeIdleTopics() {
    // Each at most once: with a TTL of 0 one that has to stay is due again at once.
    for (auto left = idleTopics_.size(); left > 0 && idleTopics_.front().first <= now_.steadyMs; --left) {
        auto* topic = idleTopics_.front().second;
        idleTopics_.pop_front();
        topic->inIdleQueue = false;
        if (!topic->unused()) continue;
        if (topic->lastUsedMs + limits_.idleTopicTtl.count() > now_.steadyMs || !topic->allWait()) {
            noteUnused(*topic);
        } else {
            remove(*topic);
        }
    }
}

void Broker::remove(Topic& topic) {
    for (auto* cursor : std::vector<Cursor*>(topic.cursors())) {
        auto& subscription = *cursor->subscription;
        if (cursor->announced) subscription.session().send(protocol::TopicGone{subscription.id(), topic.id()});
        topic.detach(*cursor);
        subscription.cursors().erase(&topic);
    }
    hungry_.erase(&topic);
    topics_.erase(topic.name());
}

void Broker::drain() {
    if (draining_) return;
    draining_ = true;
    undrained_ = sessions_.size();
    for (auto const& [session, owned] : sessions_) session->startDrain();
}

void Broker::sessionDrained() { --undrained_; }

void Broker::endDrain() {
    for (auto const& [session, owned] : sessions_) session->fail(Error::goingAway, "the hub is shutting down");
}

}  // namespace gazellemq::hub
