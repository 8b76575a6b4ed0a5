#include "Broker.hpp"

#include <algorithm>

#include "Filter.hpp"
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
    auto session = std::make_unique<Session>(*this, nextSessionId_++, std::move(peer));
    auto& opened = *session;
    sessions_.emplace(&opened, std::move(session));
    sessionsById_.emplace(opened.id(), &opened);
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
    sessionsById_.erase(session.id());
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

Topic* Broker::topic(std::string_view name, Error& error) {
    if (auto* found = topics_.find(name)) return found;
    error = !limits_.autoCreate ? Error::noSuchTopic : topics_.size() >= limits_.maxTopics ? Error::tooManyTopics : Error::ok;
    return error == Error::ok ? &topics_.make(name, TopicSettings::defaults(limits_), now_.steadyMs) : nullptr;
}

bool Broker::append(Publication& publication, Received const& received) {
    auto& topic = *publication.topic;
    auto const& header = received.header;
    std::uint32_t leastTtl = 0;
    if (header.hasTtl()) {
        auto const least = leastTtlMs(received.bytes);
        if (!least) return false;
        leastTtl = *least;
    }
    topic.lastUsedMs = now_.steadyMs;
    auto const unusedBefore = publication.unused();
    topic.countReceived(publication, received.bytes.size());
    countPromise(publication, unusedBefore);
    publication.sequence = header.firstSequence + header.count - 1;
    for (auto* counters : {static_cast<TopicCounters*>(&counters_), &topic.counters}) {
        counters->messagesIn += header.count;
        counters->bytesIn += received.bytes.size();
    }
    if (received.partition == 0 && header.hasKeys() && topic.partitionCount() > 1) {
        if (!storeByKey(publication, received, leastTtl)) return false;
    } else {
        auto const partition = received.partition > 0 ? received.partition - 1U : topic.nextPartition();
        store(publication, topic.partition(static_cast<std::uint16_t>(partition)), received.buffer, received.bytes, header.count, leastTtl);
    }
    confirm(publication, false);
    return true;
}

/// The publisher did not know the number of partitions.
bool Broker::storeByKey(Publication& publication, Received const& received, std::uint32_t leastTtl) {
    auto& topic = *publication.topic;
    auto parts = splitByKey(received.bytes, topic.partitionCount(), topic.nextPartition());
    if (parts.empty()) return false;
    for (auto& part : parts) {
        auto const owner = pool_->take(part.bytes.size());
        std::copy(part.bytes.begin(), part.bytes.end(), owner->data());
        store(publication, topic.partition(part.partition), owner, {owner->data(), part.bytes.size()}, part.count, leastTtl);
    }
    return true;
}

void Broker::store(Publication& publication, Partition& partition, protocol::BufferRef owner, std::span<std::byte> batch, std::uint32_t count,
                   std::uint32_t leastTtl) {
    auto& topic = partition.topic();
    // What counts is bytes of batches when credit is promised, and capacity of buffers when memory is measured: near the limit they
    // have to be the same.
    auto const part = pool_->bytesInUse() > memoryLimit() / 4 ? 1 : kCopyBelowPart;
    if (batch.size() * part < owner->capacity() && (!topic.readers().empty() || topic.settings().retainBytes > 0)) {
        auto copy = pool_->take(batch.size());
        std::copy(batch.begin(), batch.end(), copy->data());
        batch = {copy->data(), batch.size()};
        owner = std::move(copy);
    }
    auto const memoryWasShort = memoryIsShort();
    countDropped(partition.makeRoom(batch.size(), memoryWasShort, *pool_), memoryWasShort ? &Drops::memoryShort : &Drops::windowFull);
    disconnectSlow(partition);
    publication.hearers = partition.hearers(protocol::producerOf(batch.data()));
    if (publication.hearers == 0) {
        for (auto* unheard : {&publication.unheard, &counters_.messagesUnheard, &topic.counters.messagesUnheard}) *unheard += count;
    }
    partition.append({std::move(owner), batch, count, leastTtl, now_.steadyMs}, now_);
    if (memoryWasShort) partition.forgetRetained();
    if (!topic.paused) offerWaiting(partition);
}

/// Readers that had caught up have something to deliver.
void Broker::offerWaiting(Partition& partition) {
    for (auto* cursor : partition.takeIdle()) offer(*cursor);
}

/// A reader that is in no list: to those that have something to deliver, or to those that wait.
void Broker::offer(Cursor& cursor) {
    auto& partition = *cursor.partition;
    if (cursor.next == partition.log().endIndex() && cursor.own.empty() && !cursor.missing) return partition.waitForAppend(cursor);
    auto& subscription = *cursor.reader->subscription;
    if (subscription.ready().empty()) subscription.lastProgressMs = now_.steadyMs;
    subscription.ready().push_back(&cursor);
    subscription.session().offer(subscription);
}

/// Ends the sessions of the readers that are to be disconnected when they fall behind.
void Broker::disconnectSlow(Partition& partition) {
    // Failing a session frees its subscriptions, of which several may be too slow: names first.
    std::vector<std::pair<Session*, std::string>> sessions;
    for (auto const* subscription : partition.takeTooSlow()) {
        sessions.emplace_back(&subscription->session(), "the subscription to '" + subscription->pattern() +
                                                            "' fell further behind than topic '" + partition.topic().name() + "' keeps");
    }
    for (auto const& [session, reason] : sessions) session->fail(Error::slowConsumer, reason);
}

void Broker::countExpired(Topic& topic, std::uint64_t messages) {
    counters_.messagesExpired += messages;
    topic.counters.messagesExpired += messages;
}

void Broker::countDelivered(Topic& topic, Subscription& subscription, std::size_t bytes, std::uint64_t messages) {
    counters_.messagesOut += messages;
    counters_.bytesOut += bytes;
    topic.counters.messagesOut += messages;
    topic.counters.bytesOut += bytes;
    subscription.lastProgressMs = now_.steadyMs;
    if (topic.hasStarved()) feed(topic);
}

Error Broker::subscribe(Subscription& subscription) {
    if (!protocol::hasWildcard(subscription.pattern())) {
        auto error = Error::ok;
        auto const* found = topic(subscription.pattern(), error);
        if (error != Error::ok && error != Error::noSuchTopic) return error;
        if (found) {
            if (auto const chosen = subscription.chosenPolicy(); chosen && !found->allows(*chosen, false)) return Error::policyNotAllowed;
            auto const most = found->settings().maxSubscriptions;
            if (most > 0 && found->readers().size() >= most) return Error::tooManySubscriptionsToTopic;
            if (auto const chosen = subscription.partition(); chosen && *chosen >= found->partitionCount()) return Error::noSuchPartition;
        }
    }
    topics_.add(subscription, now_.steadyMs);
    ++subscriptionCount_;
    if (subscription.start().kind != protocol::StartKind::latest) offerStart(subscription);
    return Error::ok;
}

/// What the windows hold already.
void Broker::offerStart(Subscription& subscription) {
    for (auto const& [topic, reader] : subscription.readers()) {
        if (topic->paused) continue;
        for (auto& cursor : reader->cursors) {
            cursor.partition->takeFromIdle(cursor);
            offer(cursor);
        }
    }
}

void Broker::unsubscribe(Subscription& subscription) {
    --subscriptionCount_;
    for (auto* topic : topics_.remove(subscription)) {
        noteUnused(*topic);
        if (topic->hasStarved()) feed(*topic);
    }
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
    session.send(protocol::Confirm{publication.handle, publication.sequence, publication.credit, publication.hearers, publication.unheard});
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
    if (topics_.size() == 0 || !isShort() || now_.steadyMs < nextReclaimMs_) return;
    auto const keep = std::min(limits_.windowBytes / 8, few / topics_.size());
    for (auto const& [name, topic] : topics_.byName()) {
        topic->forgetRetained();
        countDropped(topic->giveUp(keep, &Drops::memoryShort, *pool_), &Drops::memoryShort);
        for (auto const& partition : topic->partitions()) disconnectSlow(*partition);
        if (pool_->bytesInUse() <= few) return;
    }
    if (isShort()) nextReclaimMs_ = now_.steadyMs + kReclaimPauseMs;
}

/// What no reader needs must not be in the way of what one does.
void Broker::forgetRetained() {
    if (pool_->bytesInUse() <= memoryLimit() / 2 || now_.steadyMs < nextForgetMs_) return;
    for (auto const& [name, topic] : topics_.byName()) topic->forgetRetained();
    if (pool_->bytesInUse() > memoryLimit() / 2) nextForgetMs_ = now_.steadyMs + kReclaimPauseMs;
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
    forgetRetained();
}

void Broker::removeIdleTopics() {
    for (auto* topic : topics_.takeIdle(now_.steadyMs, limits_.idleTopicTtl.count())) remove(*topic, Error::ok);
}

void Broker::remove(Topic& topic, Error code) {
    hungry_.erase(&topic);
    topics_.erase(topic, code);
}

Session* Broker::findSession(std::uint64_t id) const {
    auto const at = sessionsById_.find(id);
    return at == sessionsById_.end() ? nullptr : at->second;
}

void Broker::answer(std::uint64_t session, protocol::AdminReply const& reply) {
    if (auto* found = findSession(session)) found->send(reply);
}

Error Broker::createTopic(std::string_view name, TopicSettings const& settings) {
    if (auto const error = protocol::checkTopic(name); error != Error::ok) return error;
    if (name.size() > limits_.maxTopicBytes) return Error::nameTooLong;
    auto* topic = topics_.find(name);
    if (topic && topic->created) return Error::topicExists;
    if (topic && settings.partitions != topic->partitionCount()) {
        // A log cannot be divided afterwards.
        if (!topic->publications().empty() || !topic->readers().empty()) return Error::topicExists;
        remove(*topic, Error::ok);
        topic = nullptr;
    }
    if (!topic && topics_.size() >= limits_.maxTopics) return Error::tooManyTopics;
    // One that its first use has made becomes permanent.
    if (topic) changeTopic(*topic, settings);
    else topic = &topics_.make(name, settings, now_.steadyMs);
    topic->created = true;
    return Error::ok;
}

Error Broker::deleteTopic(std::string_view name) {
    auto* topic = topics_.find(name);
    if (!topic) return Error::noSuchTopic;
    removePublications(*topic, Error::topicDeleted);
    countDropped(topic->purge(&Drops::deleted), &Drops::deleted);
    remove(*topic, Error::topicDeleted);
    return Error::ok;
}

/// Its publishers have to open it anew; what they have sent meanwhile is not taken.
void Broker::removePublications(Topic& topic, Error code) {
    for (auto* publication : std::vector<Publication*>(topic.publications())) {
        confirm(*publication, true);
        forget(*publication);
        publication->topic = nullptr;
        publication->session->send(protocol::Notice{publication->handle, code, describe(code)});
    }
}

void Broker::changeTopic(Topic& topic, TopicSettings const& settings) {
    topic.change(settings);
    if (topic.hasStarved()) feed(topic);
}

void Broker::pauseTopic(Topic& topic, bool paused) {
    topic.paused = paused;
    if (paused) return;
    for (auto const& partition : topic.partitions()) offerWaiting(*partition);
}

std::uint64_t Broker::purgeTopic(Topic& topic) {
    auto const dropped = topic.purge(&Drops::purged);
    countDropped(dropped, &Drops::purged);
    if (topic.hasStarved()) feed(topic);
    return dropped;
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
