#include "PublisherImpl.hpp"

#include <algorithm>
#include <limits>

#include "Guarded.hpp"
#include "MessageHeaders.hpp"
#include "ProducerIds.hpp"

namespace gazellemq::client {
namespace {

using namespace std::chrono_literals;

/// A message that finds the link at rest for so long is written at once by its own thread; others wait for company. Writing
/// each message at once whenever the socket happens to be free is 60 times slower.
constexpr auto kRestBeforeDirectWrite = 50us;
/// While few messages come the rest is shorter: a few times what a write costs.
constexpr auto kRestBetweenFew = 10us;
/// Of these up to four may be missing: messages come at uneven times, and a write may take longer.
constexpr auto kMostMissingRest = 4 * kRestBetweenFew;
/// So many messages between two looks of the link's thread are few.
constexpr std::uint64_t kFew = 8;
/// While batches fill up by themselves the leftovers are looked at so often.
constexpr auto kBusyFlushInterval = 500us;
/// Without open batches for so long the link's thread stops looking; the next message wakes it.
constexpr auto kFlusherSleepsAfter = 2ms;
/// On an overloaded machine leftovers are looked at this much later at most.
constexpr auto kMostRest = 10ms;
constexpr std::size_t kGatherBytes = 256 * 1024;
/// A topic's sealed batches beyond this make publish() wait for the link, for a moment.
constexpr std::size_t kAheadBytes = 256 * 1024;
/// While messages come fast, batches are written when there are so many bytes of them: each write may wake the hub, and waking it
/// costs more than the copy of a batch.
constexpr std::size_t kWriteBytes = 128 * 1024;
constexpr auto kPaceLimit = 50ms;

constexpr std::size_t kMinBatchBytes = 1024;
constexpr std::size_t kMaxBatchBytes = 1024 * 1024;

bool valid(PublisherOptions const& options) {
    return options.maxBatchBytes >= kMinBatchBytes && options.maxBatchBytes <= kMaxBatchBytes &&
           options.maxBufferedBytes >= options.maxBatchBytes && options.backoffMin > 0ms &&
           options.backoffMax >= options.backoffMin && options.connectTimeout > 0ms && options.heartbeat >= 100ms &&
           options.closeTimeout >= 0ms && options.blockTimeout >= 0ms;
}

}  // namespace

PublisherClient::Impl::Impl() : outbox_(ProducerIds::next()), rest_(kRestBeforeDirectWrite) {}
PublisherClient::Impl::~Impl() = default;

Error PublisherClient::Impl::connect(std::string_view name, std::vector<transport::Url> hubs, PublisherOptions const& options) {
    if (hubs.empty()) return Error::invalidUrl;
    if (!valid(options)) return Error::invalidOption;
    Lock const lock{link.mutex};
    if (closed_) return Error::closed;
    if (link.started()) return Error::alreadyConnected;
    options_ = options;
    outbox_.setLimits({options.maxBatchBytes, options.maxBatchMessages, outbox_.limits().maxPayloadBytes});
    link.start(std::string{name}, std::move(hubs), options);
    return Error::ok;
}

/// Most messages go into the batch that is open; what they do not need is in publishAtLimit().
Error PublisherClient::Impl::publish(std::string_view topic, std::string_view payload) {
    link.mutex.lock();
    if (lastTopic_ && lastTopic_->name == topic && !closed_ && payload.size() <= outbox_.limits().maxPayloadBytes &&
        outbox_.bufferedBytes() + Outbox::cost(payload) <= options_.maxBufferedBytes && outbox_.appendInside(*lastTopic_, payload)) [[likely]] {
        link.mutex.unlock();
        return Error::ok;
    }
    Lock lock{link.mutex, std::adopt_lock};
    return publishAtLimit(lock, topic, payload, {}, {});
}

Error PublisherClient::Impl::publish(std::string_view topic, std::string_view payload, MessageProperties const& properties) {
    if (properties.ttl < 0ms || properties.ttl.count() > std::numeric_limits<std::uint32_t>::max()) return Error::invalidOption;
    protocol::MessageHeaders headers;
    headers.key = properties.key;
    headers.ttlMs = static_cast<std::uint32_t>(properties.ttl.count());
    headers.replyTo = properties.replyTo;
    headers.correlationId = properties.correlationId;
    headers.contentType = properties.contentType;
    Lock lock{link.mutex};
    // Memory that is used again, but by nobody else while this call waits for room.
    auto encoded = std::exchange(spareHeaders_, {});
    encoded.clear();
    if (!encodeHeaders(headers, properties.headers, encoded)) return Error::tooLarge;
    Envelope envelope;
    if (encoded.size() > 1) {
        envelope.headers = encoded;
        envelope.flags = protocol::BatchHeader::kHeadersFlag;
        if (!properties.key.empty()) envelope.flags |= protocol::BatchHeader::kKeysFlag;
        if (headers.ttlMs > 0) envelope.flags |= protocol::BatchHeader::kTtlFlag;
    }
    auto const error = publishAtLimit(lock, topic, payload, properties, envelope);
    spareHeaders_ = std::move(encoded);
    return error;
}

Error PublisherClient::Impl::choosePartition(OutTopic const& topic, MessageProperties const& properties, Envelope& envelope) {
    if (properties.partition) {
        auto const number = *properties.partition;
        if (number == std::numeric_limits<std::uint16_t>::max() || (topic.partitions > 0 && number >= topic.partitions)) return Error::noSuchPartition;
        envelope.partition = static_cast<std::uint16_t>(number + 1);
    } else if (!properties.key.empty() && topic.partitions > 1) {
        envelope.keyedFor = topic.partitions;
        envelope.partition = static_cast<std::uint16_t>(protocol::partitionOf(properties.key, topic.partitions) + 1);
    }
    return Error::ok;
}

Error PublisherClient::Impl::publishAtLimit(Lock& lock, std::string_view topic, std::string_view payload, MessageProperties const& properties, Envelope envelope) {
    auto error = Error::ok;
    auto* target = find(topic, error);
    if (!target) return error;
    if (payload.size() + envelope.headers.size() > outbox_.limits().maxPayloadBytes) return Error::tooLarge;
    auto const bytes = Outbox::cost(payload, envelope.headers);
    if (outbox_.bufferedBytes() + bytes > options_.maxBufferedBytes) {
        if (error = makeRoom(lock, bytes); error != Error::ok) return error;
    }
    // Now, not before: while it waited for room the hub may have told the number of partitions, and others of its key went by that.
    if (error = choosePartition(*target, properties, envelope); error != Error::ok) return error;
    auto const filled = outbox_.append(*target, payload, envelope);
    if (filled || target->openCount == 1) appended(lock, *target, filled);
    return Error::ok;
}

Error PublisherClient::Impl::publishBatch(std::string_view topic, std::span<std::string_view const> payloads) {
    Lock lock{link.mutex};
    auto error = Error::ok;
    auto* target = find(topic, error);
    if (!target) return error;
    std::size_t bytes = 0;
    for (auto const payload : payloads) {
        if (payload.size() > outbox_.limits().maxPayloadBytes) return Error::tooLarge;
        bytes += Outbox::cost(payload);
    }
    if (outbox_.bufferedBytes() + bytes > options_.maxBufferedBytes) {
        if (payloads.size() > 1 && bytes > options_.maxBufferedBytes) return Error::tooLarge;
        if (error = makeRoom(lock, bytes); error != Error::ok) return error;
    }
    auto filled = false;
    for (auto const& payload : payloads) filled |= outbox_.append(*target, payload);
    if (filled || target->openCount == payloads.size()) appended(lock, *target, filled);
    return Error::ok;
}

/// The topic of a publish(); topics live as long as the outbox. nullptr: see `error`.
OutTopic* PublisherClient::Impl::find(std::string_view topic, Error& error) {
    if (closed_) {
        error = Error::closed;
        return nullptr;
    }
    if (!lastTopic_ || lastTopic_->name != topic) {
        auto* found = outbox_.topic(topic, error);
        if (!found) return nullptr;
        lastTopic_ = found;
    }
    return lastTopic_;
}

/// A message has begun a batch, or filled one.
void PublisherClient::Impl::appended(Lock& lock, OutTopic& topic, bool filled) {
    if (filled) {
        writeFilled(lock);
        pace(lock, topic);
    } else {
        startFlush(lock);
    }
}

/// Lets the link catch up with a program that is faster: batches further ahead would only cool down in memory. The waiting thread
/// writes by itself when it can. Never an error: after kPaceLimit, or the shorter blockTimeout, as when the hub gives no credit, the
/// program goes on and the buffer fills, until the link has caught up.
void PublisherClient::Impl::pace(Lock& lock, OutTopic& topic) {
    if (topic.waitingBytes <= kAheadBytes) {
        topic.outran = false;
        return;
    }
    if (topic.outran || !link.up() || options_.whenFull != WhenFull::block) return;
    auto const deadline = Clock::now() + std::min<Millis>(kPaceLimit, options_.blockTimeout);
    auto const caughtUp = [&] { return closed_ || !link.up() || topic.waitingBytes <= kAheadBytes; };
    auto const canWrite = [&] { return outbox_.canFill() && link.takesData(); };
    paced_.push_back(&topic);
    while (!caughtUp() && caughtUp_.wait_until(lock, deadline, [&] { return caughtUp() || canWrite(); })) link.write(lock);
    paced_.erase(std::find(paced_.begin(), paced_.end(), &topic));
    topic.outran = !caughtUp();
    link.write(lock);  // who brought credit for other topics left it to this thread
}

/// Waits as the options say. A message larger than the whole buffer is taken when the buffer is empty.
Error PublisherClient::Impl::makeRoom(Lock& lock, std::size_t bytes) {
    auto const hasRoom = [&] { return outbox_.bufferedBytes() == 0 || outbox_.bufferedBytes() + bytes <= options_.maxBufferedBytes; };
    if (hasRoom()) return Error::ok;
    if (options_.whenFull == WhenFull::fail) return Error::bufferFull;
    outbox_.sealOpen(Outbox::Which::sendable);
    link.wake();
    ++roomWaiters_;
    auto const found = room_.wait_for(lock, options_.blockTimeout, [&] { return closed_ || hasRoom(); });
    --roomWaiters_;
    if (closed_) return Error::closed;
    return found ? Error::ok : Error::bufferFull;
}

/// The first message of a batch: on its way at once if the link was at rest, otherwise the link's thread will look after it.
void PublisherClient::Impl::startFlush(Lock& lock) {
    if (!link.up()) return;
    auto const batchFilled = std::exchange(fullBatchesAtStart_, outbox_.fullBatches()) != outbox_.fullBatches();
    if (batchFilled) rest_ = kRestBeforeDirectWrite;
    if (mayWriteAtOnce(Clock::now())) {
        if (!batchFilled) rest_ = kRestBetweenFew;
        outbox_.sealOpen(Outbox::Which::sendable);
        link.write(lock);
    }
    if (outbox_.hasOpen()) wakeFlusher();
}

/// The link has rested, or, while few messages come, has rested enough on average: a token bucket.
bool PublisherClient::Impl::mayWriteAtOnce(Clock::time_point now) {
    if (rest_ != kRestBetweenFew) return link.restedSince(now - rest_);
    if (!link.restedSince(now)) return false;
    auto const missing = restMissing_ - std::min(now - link.lastWrite(), restMissing_);
    if (missing > kMostMissingRest) return false;
    restMissing_ = missing + kRestBetweenFew;
    return true;
}

void PublisherClient::Impl::writeFilled(Lock& lock) {
    if (outbox_.sealedBytes() >= kWriteBytes || link.restedSince(Clock::now() - kRestBeforeDirectWrite)) {
        link.write(lock);
    } else if (link.up()) {
        wakeFlusher();
    }
}

void PublisherClient::Impl::wakeFlusher() {
    if (std::exchange(flusherActive_, true)) return;
    link.wake();
}

std::optional<LinkUser::Clock::time_point> PublisherClient::Impl::flushLeftovers(Clock::time_point now) {
    if (!flusherActive_) return std::nullopt;
    // Late means that the processors are busy: then there is no use in looking often, and batches may rather grow.
    auto const late = nextLook_ != Clock::time_point{} && now > nextLook_ ? now - nextLook_ : Clock::duration{};
    auto const rest = rest_ + std::min<Clock::duration>(late * 4, kMostRest);
    auto const again = [&](Clock::duration pause) { return nextLook_ = now + pause; };
    auto const batchesFill = std::exchange(fullBatchesSeen_, outbox_.fullBatches()) != outbox_.fullBatches();
    if (!outbox_.hasOpen()) {
        // While few come, being woken for each costs less than looking often.
        if (rest_ != kRestBetweenFew && now - quietSince_ < kFlusherSleepsAfter) return again(batchesFill ? std::max<Clock::duration>(kBusyFlushInterval, rest) : rest);
        flusherActive_ = false;
        nextLook_ = {};
        return std::nullopt;
    }
    quietSince_ = now;
    if (batchesFill) {
        // Batches that fill need no help; a lone message of another topic does.
        outbox_.sealOpen(Outbox::Which::quiet);
        return again(std::max<Clock::duration>(kBusyFlushInterval, rest));
    }
    if (auto const due = link.lastWrite() + rest_; now < due) return nextLook_ = due;
    auto const came = outbox_.published() - std::exchange(publishedSeen_, outbox_.published());
    rest_ = came <= kFew ? kRestBetweenFew : kRestBeforeDirectWrite;
    if (link.busy() || outbox_.sealOpen(Outbox::Which::sendable) || !outbox_.hasOpen()) return again(rest);
    // What is left waits for credit: the next CONFIRM wakes the link's thread.
    flusherActive_ = false;
    nextLook_ = {};
    return std::nullopt;
}

Error PublisherClient::Impl::flush(Millis timeout) {
    Lock lock{link.mutex};
    if (closed_) return Error::closed;
    auto targets = outbox_.flushTargets();
    outbox_.sealOpen(Outbox::Which::all);
    if (link.up()) {
        link.send(protocol::Flush{});
        link.write(lock);
        link.wake();
    }
    auto const done = [&] {
        while (!targets.empty() && targets.back().first->settled >= targets.back().second) targets.pop_back();
        return targets.empty();
    };
    ++flushWaiters_;
    auto const reached = settled_.wait_for(lock, timeout, [&] { return closed_ || done(); });
    --flushWaiters_;
    if (!reached) return Error::timeout;
    if (!targets.empty()) return Error::closed;
    auto const lost = std::exchange(flushedLost_, outbox_.lost()) != outbox_.lost();
    auto const refused = std::exchange(flushedRefused_, outbox_.refused()) != outbox_.refused();
    return lost ? Error::linkLost : refused ? lastRefusal_ : Error::ok;
}

std::uint64_t PublisherClient::Impl::close(Millis timeout) {
    auto const flushed = timeout > 0ms ? flush(timeout) : Error::ok;
    {
        Lock const lock{link.mutex};
        if (!std::exchange(closed_, true)) {
            auto const now = outbox_.stats();
            unconfirmedAtClose_ = now.published - now.confirmed;
            room_.notify_all();
            caughtUp_.notify_all();
            settled_.notify_all();
            stateChanged({State::closed, Error::ok, flushed == Error::timeout ? "not everything was confirmed in time" : ""});
        }
    }
    link.close();
    // What was told last is still delivered, if the callbacks take no longer than the caller would have waited.
    if (!callbacks_.isCurrent()) callbacks_.waitUntilIdle(Clock::now() + std::max<Millis>(timeout, 100ms));
    callbacks_.stop();
    return unconfirmedAtClose_;
}

void PublisherClient::Impl::closeAtEnd() {
    auto timeout = 0ms;
    {
        Lock lock{link.mutex};
        auto const deadline = Clock::now() + options_.closeTimeout;
        // A program may end before its first attempt to connect does.
        ++flushWaiters_;
        settled_.wait_until(lock, deadline, [&] { return closed_ || outbox_.unsettled() == 0 || !link.inFirstAttempt(); });
        --flushWaiters_;
        if (link.wasEverUp()) timeout = std::max(0ms, std::chrono::ceil<Millis>(deadline - Clock::now()));
    }
    close(timeout);
}

PublisherStats PublisherClient::Impl::stats() {
    Lock const lock{link.mutex};
    return outbox_.stats();
}

std::optional<std::uint32_t> PublisherClient::Impl::subscriptions(std::string_view topic) {
    Lock const lock{link.mutex};
    return outbox_.subscriptionsOf(topic);
}

State PublisherClient::Impl::state() {
    Lock const lock{link.mutex};
    return closed_ ? State::closed : link.started() ? link.state() : State::disconnected;
}

void PublisherClient::Impl::linkUp(protocol::Welcome const& welcome) {
    std::vector<std::byte> control;
    outbox_.linkUp(control, welcome.maxFrameBytes, welcome.maxPayloadBytes);
    link.sendEncoded(control);
    flusherActive_ = true;
    quietSince_ = Clock::now();
    settled();
}

void PublisherClient::Impl::linkDown(Error, std::string const&) {
    outbox_.linkDown();
    flusherActive_ = false;
    caughtUp_.notify_all();
    settled();
}

void PublisherClient::Impl::stateChanged(StateChange change) {
    if (flushWaiters_ > 0) settled_.notify_all();
    if (change.state == State::ready) call(&Impl::onReady);
    call(&Impl::onStateChange, std::move(change));
}

bool PublisherClient::Impl::onFrame(protocol::Frame const& frame, protocol::BufferRef const&) {
    switch (frame.type) {
        case protocol::FrameType::confirm:
            if (auto const confirm = protocol::decode<protocol::Confirm>(frame.body)) {
                outbox_.onConfirm(*confirm);
                return true;
            }
            return false;
        case protocol::FrameType::reply:
            if (auto const reply = protocol::decode<protocol::Reply>(frame.body)) {
                outbox_.onReply(*reply);
                return true;
            }
            return false;
        case protocol::FrameType::notice:
            if (auto const notice = protocol::decode<protocol::Notice>(frame.body)) {
                if (notice->code == Error::topicDeleted) {
                    topicDeleted(*notice);
                    return true;
                }
                call(&Impl::onError, notice->code,
                     "publishing to '" + outbox_.nameOf(notice->handle) + "' waits: " + std::string{notice->sentence});
                return true;
            }
            return false;
        default: return false;
    }
}

void PublisherClient::Impl::topicDeleted(protocol::Notice const& notice) {
    std::vector<std::byte> control;
    outbox_.onTopicDeleted(notice, control);
    link.sendEncoded(control);
    link.wake();
}

void PublisherClient::Impl::onReadDone() {
    settled();
    if (outbox_.hasOpen()) wakeFlusher();
    if (!outbox_.canFill()) return;
    // A thread that waits for the link writes by itself.
    wakePaced_ = !paced_.empty() && link.takesData();
    if (!wakePaced_) link.wake();
}

void PublisherClient::Impl::afterRead() {
    if (std::exchange(wakePaced_, false)) caughtUp_.notify_all();
}

void PublisherClient::Impl::settled() {
    if (outbox_.hasFailures()) tellFailures();
    if (flushWaiters_ > 0) settled_.notify_all();
    if (roomWaiters_ > 0) room_.notify_all();
}

void PublisherClient::Impl::tellFailures() {
    for (auto& failure : outbox_.takeFailures()) {
        lastRefusal_ = failure.code;
        call(&Impl::onPublishFailed, std::move(failure.topic), failure.count, failure.code, std::move(failure.reason));
    }
}

void PublisherClient::Impl::fill(protocol::OutputQueue& output, std::vector<std::byte>& control) {
    outbox_.openTopics(control);
    outbox_.fill(output, kGatherBytes);
    if (outbox_.hasFailures()) settled();
}

void PublisherClient::Impl::written(std::size_t bytes) {
    outbox_.written(bytes);
    auto const caughtUp = [](OutTopic const* topic) { return topic->waitingBytes <= kAheadBytes; };
    if (std::any_of(paced_.begin(), paced_.end(), caughtUp)) caughtUp_.notify_all();
    // A quarter of the buffer is free again: enough to make waking a waiting program worth it.
    if (roomWaiters_ > 0 && outbox_.bufferedBytes() <= options_.maxBufferedBytes / 4 * 3) room_.notify_all();
}

/// Queues a call of the callback as it is set when its turn comes. With the link's lock held.
template <typename Function, typename... Args>
void PublisherClient::Impl::call(Function Impl::*callback, Args... args) {
    if (!(this->*callback)) return;
    callbacks_.post([self = shared_from_this(), callback, ... arguments = std::move(args)] {
        Lock lock{self->link.mutex};
        auto const function = (*self).*callback;
        auto const tellError = self->onError;
        lock.unlock();
        auto const report = [&](std::string_view what) {
            if (tellError) tellError(Error::callbackFailed, what);
        };
        guarded(report, [&] { function(arguments...); });
    });
}

}  // namespace gazellemq::client
