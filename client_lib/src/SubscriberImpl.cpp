#include "SubscriberImpl.hpp"

#include <algorithm>
#include <limits>

#include "Guarded.hpp"
#include "TopicName.hpp"

namespace gazellemq::client {

using protocol::BatchHeader;
using protocol::BatchReader;
using protocol::ByteView;
using protocol::FrameType;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMinWindow = 64 * 1024;
constexpr std::size_t kCopyBelowPart = 5;
constexpr unsigned kLookAtMostEvery = 16;
constexpr auto kTellProgressEvery = 500ms;

bool valid(SubscriberOptions const& options) {
    return options.receiveWindowBytes >= kMinWindow && options.backoffMin > 0ms && options.backoffMax >= options.backoffMin &&
           options.connectTimeout > 0ms && options.heartbeat >= 100ms;
}

/// Of the message that `reader` has just read.
Message toMessage(std::string const& topic, BatchHeader const& header, BatchReader const& reader, ByteView payload, std::uint64_t index) {
    return {topic, protocol::asText(payload), header.receiveTimeNs, header.baseOffset + index, header.partition,
            static_cast<std::uint16_t>(reader.headers().size()), reader.headers().data()};
}

}  // namespace

struct SubscriberClient::Impl::Pulled {
    explicit Pulled(Delivery from) : delivery(std::move(from)), rest(delivery.batches) {}

    Delivery delivery;
    ByteView rest;               // batches not begun
    BatchHeader header;
    std::optional<BatchReader> reader;
    std::uint64_t index = 0;     // of the next message in its batch
};

Error SubscriberClient::Impl::connect(std::string_view name, std::vector<transport::Url> hubs, SubscriberOptions const& options) {
    if (hubs.empty()) return Error::invalidUrl;
    if (!valid(options)) return Error::invalidOption;
    Lock const lock{link.mutex};
    if (closed_) return Error::closed;
    if (link.started()) return Error::alreadyConnected;
    options_ = options;
    topics_.setWindow(options.receiveWindowBytes);
    link.start(std::string{name}, std::move(hubs), options);
    return Error::ok;
}

std::pair<Error, std::uint32_t> SubscriberClient::Impl::subscribe(std::string_view pattern, InTopic::Callback callback, SubscribeOptions const& options) {
    if (auto const error = protocol::checkPattern(pattern); error != Error::ok) return {error, 0};
    if (options.partition == std::numeric_limits<std::uint16_t>::max()) return {Error::noSuchPartition, 0};
    Lock lock{link.mutex};
    if (closed_ || draining_) return {Error::closed, 0};
    auto const topic = topics_.add(pattern, std::move(callback), options);
    if (link.up()) {
        std::vector<std::byte> control;
        topics_.subscribe(*topic, control);
        link.sendEncoded(control);
        link.write(lock);
    }
    return {Error::ok, topic->id};
}

Error SubscriberClient::Impl::unsubscribe(std::string_view pattern) {
    Lock lock{link.mutex};
    if (closed_) return Error::closed;
    auto const found = topics_.findAll(pattern);
    lock.unlock();
    return finish(found);
}

Error SubscriberClient::Impl::unsubscribe(std::uint32_t id) {
    Lock lock{link.mutex};
    if (closed_) return Error::closed;
    auto const found = topics_.find(id);
    lock.unlock();
    return finish(found ? std::vector{found} : std::vector<InTopics::Ptr>{});
}

/// Ends subscriptions, then waits for a callback of theirs that runs, unless this is that callback.
Error SubscriberClient::Impl::finish(std::vector<InTopics::Ptr> const& topics) {
    if (topics.empty()) return Error::notSubscribed;
    {
        Lock lock{link.mutex};
        std::vector<std::byte> control;
        for (auto const& topic : topics) topics_.remove(*topic, link.up(), control);
        dropPulled(lock);
        link.sendEncoded(control);
        link.write(lock);
        changed_.notify_all();
    }
    if (callbacks_.isCurrent()) return Error::ok;
    std::unique_lock lock{runningMutex_};
    for (auto const& topic : topics) ranOut_.wait(lock, [&] { return running_ != topic.get(); });
    return Error::ok;
}

/// Forgets what waits for receive() and was not wanted any more. Their topics are inactive: no credit is sent, the lock is kept.
void SubscriberClient::Impl::dropPulled(Lock& lock) {
    auto const unwanted = [](Delivery const& delivery) { return !delivery.topic->active; };
    for (auto const& delivery : toPull_) {
        if (unwanted(delivery)) handled(lock, *delivery.topic, delivery.batches.size());
    }
    std::erase_if(toPull_, unwanted);
    if (!pulled_ || !unwanted(pulled_->delivery)) return;
    auto const begun = std::exchange(pulled_, nullptr);
    handled(lock, *begun->delivery.topic, begun->delivery.batches.size());
}

Error SubscriberClient::Impl::waitUntilSubscribed(Millis timeout) {
    Lock lock{link.mutex};
    auto const answered = [](auto const& topic) { return topic->answer != InTopic::Answer::pending; };
    auto const done = changed_.wait_for(lock, timeout, [&] {
        auto const all = topics_.all();
        return closed_ || std::all_of(all.begin(), all.end(), answered);
    });
    if (closed_) return Error::closed;
    if (!done) return Error::timeout;
    for (auto const& topic : topics_.all()) {
        if (topic->answer == InTopic::Answer::refused) return topic->refusal;
    }
    return Error::ok;
}

std::optional<ReceivedMessage> SubscriberClient::Impl::receive(Millis timeout) {
    auto const deadline = Clock::now() + timeout;
    Lock lock{link.mutex};
    for (;;) {
        if (pulled_) {
            if (auto message = nextPulled()) {
                if (auto const now = Clock::now(); now - toldPulled_ >= kTellProgressEvery) {
                    toldPulled_ = now;
                    tellProgress(lock, true);
                }
                return message;
            }
            auto const done = std::exchange(pulled_, nullptr);
            handled(lock, *done->delivery.topic, done->delivery.batches.size());
        } else if (!toPull_.empty()) {
            pulled_ = std::make_shared<Pulled>(std::move(toPull_.front()));
            toPull_.pop_front();
        } else if (closed_ || !changed_.wait_until(lock, deadline, [&] { return closed_ || pulled_ || !toPull_.empty(); })) {
            return std::nullopt;
        }
    }
}

/// The next message of the Delivery that is being pulled, if it has one.
std::optional<ReceivedMessage> SubscriberClient::Impl::nextPulled() {
    auto& pulled = *pulled_;
    auto const& name = *pulled.delivery.name;
    while (pulled.delivery.topic->active) {
        if (pulled.reader) {
            if (auto const payload = pulled.reader->next()) {
                ++stats_.received;
                return ReceivedMessage{toMessage(name, pulled.header, *pulled.reader, *payload, pulled.index++), pulled_};
            }
            if (!pulled.reader->intact()) tellDamage(name);
        }
        if (pulled.rest.empty()) break;
        auto const next = nextBatch(pulled.rest);
        if (!next) {
            tellDamage(name);
            pulled.reader.reset();
            continue;
        }
        pulled.header = next->first;
        pulled.reader.emplace(next->second);
        pulled.index = 0;
    }
    return std::nullopt;
}

Error SubscriberClient::Impl::drain(Millis timeout) {
    if (callbacks_.isCurrent()) return Error::wouldDeadlock;
    auto const deadline = Clock::now() + timeout;
    auto result = Error::ok;
    {
        Lock lock{link.mutex};
        if (closed_) return Error::closed;
        draining_ = true;
        if (link.up()) {
            link.send(protocol::Drain{});
            link.write(lock);
            if (!changed_.wait_until(lock, deadline, [&] { return closed_ || drained_; })) result = Error::timeout;
        }
    }
    if (!callbacks_.waitUntilIdle(deadline)) result = Error::timeout;
    close();
    return result;
}

void SubscriberClient::Impl::close() {
    {
        Lock lock{link.mutex};
        if (!closed_) {
            for (auto const& topic : topics_.all()) topic->active = false;
            stateChanged({State::closed, Error::ok, {}});
            closed_ = true;
            dropPulled(lock);
            changed_.notify_all();
        }
    }
    // Also the second time: a callback that has closed the client may still be running.
    link.close();
    // No message is delivered any more, but the end is told.
    if (!callbacks_.isCurrent()) callbacks_.waitUntilIdle(Clock::time_point::max());
    callbacks_.stop();
}

SubscriberStats SubscriberClient::Impl::stats() {
    Lock const lock{link.mutex};
    return stats_;
}

State SubscriberClient::Impl::state() {
    Lock const lock{link.mutex};
    return closed_ ? State::closed : link.started() ? link.state() : State::disconnected;
}

// What the link's thread calls, with the lock held.

void SubscriberClient::Impl::linkUp(protocol::Welcome const&) {
    std::vector<std::byte> control;
    topics_.linkUp(control);
    link.sendEncoded(control);
}

void SubscriberClient::Impl::linkDown(Error error, std::string const&) {
    topics_.linkDown();
    drained_ = draining_;
    if (error == Error::stalled || error == Error::slowConsumer) stalledAt_ = handledCount_;
    changed_.notify_all();
}

/// After the hub has given up on this client as stalled or too slow, it comes back only when a callback has returned.
bool SubscriberClient::Impl::mayConnect() {
    if (draining_) return false;
    if (stalledAt_ && *stalledAt_ == handledCount_ && stats_.queuedBytes > 0) return false;
    stalledAt_.reset();
    return true;
}

/// The callback thread reads by itself while it has nothing else to do: what it reads is still in its processor's cache when
/// the callbacks get it, and no thread has to wake another.
bool SubscriberClient::Impl::takeReading() {
    if (closed_ || draining_ || !callbacks_.idle()) return false;
    callbacks_.post([self = shared_from_this()] { self->readHere(); });
    return true;
}

void SubscriberClient::Impl::readHere() {
    // Behind the deliveries that this read has queued.
    if (link.readLent()) callbacks_.post([self = shared_from_this()] { self->readHere(); });
}

void SubscriberClient::Impl::stateChanged(StateChange change) {
    if (change.state == State::ready) call(&Impl::onReady);
    call(&Impl::onStateChange, std::move(change));
}

bool SubscriberClient::Impl::onFrame(protocol::Frame const& frame, protocol::BufferRef const& buffer) {
    auto const with = [&]<typename F>(void (Impl::*handler)(F const&)) {
        auto const decoded = protocol::decode<F>(frame.body);
        if (decoded) (this->*handler)(*decoded);
        return decoded.has_value();
    };
    switch (frame.type) {
        case FrameType::deliver: return onDeliver(frame.body, buffer);
        case FrameType::topic: return with(&Impl::onTopicNamed);
        case FrameType::dropped: return with(&Impl::onDroppedFrame);
        case FrameType::gap: return with(&Impl::onGapFrame);
        case FrameType::topicGone: return with(&Impl::onTopicGone);
        case FrameType::reply: return with(&Impl::onReply);
        case FrameType::drainAck:
            queueDeliveries();
            drained_ = true;
            changed_.notify_all();
            return true;
        default: return false;
    }
}

bool SubscriberClient::Impl::onDeliver(ByteView body, protocol::BufferRef const& buffer) {
    if (body.size() < 8) return false;
    auto const topic = topics_.find(protocol::load<std::uint32_t>(body.data()));
    if (!topic) return true;  // crossed an UNSUBSCRIBE
    auto const name = topic->names.find(protocol::load<std::uint32_t>(body.data() + 4));
    if (name == topic->names.end()) return false;
    auto batches = body.subspan(8);
    // A small frame that waits for a slow callback must not keep a large read buffer.
    auto owner = buffer;
    if (batches.size() * kCopyBelowPart < buffer->capacity()) {
        owner = smallBuffers_->take(batches.size());
        std::copy(batches.begin(), batches.end(), owner->data());
        batches = {owner->data(), batches.size()};
    }
    InTopics::countReceived(*topic, batches.size());
    stats_.queuedBytes += batches.size();
    arrived_.push_back({topic, name->second, std::move(owner), batches});
    return true;
}

void SubscriberClient::Impl::onTopicNamed(protocol::TopicNamed const& named) {
    if (auto const topic = topics_.find(named.subscription)) {
        topic->names[named.handle] = std::make_shared<std::string const>(named.name);
    }
}

void SubscriberClient::Impl::onTopicGone(protocol::TopicGone const& gone) {
    auto const topic = topics_.find(gone.subscription);
    if (!topic) return;
    auto const name = topic->names.extract(gone.handle);
    if (gone.code == Error::ok || !name) return;
    queueDeliveries();
    call(&Impl::onError, gone.code, "topic '" + *name.mapped() + "': " + std::string{describe(gone.code)} + "; the subscription waits for it");
}

void SubscriberClient::Impl::onDroppedFrame(protocol::Dropped const& dropped) {
    auto const topic = topics_.find(dropped.subscription);
    if (!topic) return;
    auto const name = topic->names.find(dropped.handle);
    stats_.dropped += dropped.count;
    queueDeliveries();
    if (name != topic->names.end()) call(&Impl::onDropped, *name->second, dropped.count);
}

void SubscriberClient::Impl::onGapFrame(protocol::Gap const& gap) {
    auto const topic = topics_.find(gap.subscription);
    if (!topic) return;
    auto const name = topic->names.find(gap.handle);
    queueDeliveries();
    if (name != topic->names.end()) call(&Impl::onGap, *name->second, gap.partition, gap.firstMissing, gap.firstAvailable);
}

void SubscriberClient::Impl::onReply(protocol::Reply const& reply) {
    if (auto const refused = topics_.onReply(reply)) {
        call(&Impl::onError, reply.code, "subscription to '" + refused->pattern + "' refused: " + std::string{reply.sentence});
    }
    changed_.notify_all();
}

void SubscriberClient::Impl::onReadDone() { queueDeliveries(); }

/// Hands what the read under way has brought to the callback thread, or to receive().
void SubscriberClient::Impl::queueDeliveries() {
    if (arrived_.empty() || closed_) return;
    std::vector<Delivery> forCallbacks;
    for (auto& delivery : arrived_) {
        if (delivery.topic->isPull()) {
            toPull_.push_back(std::move(delivery));
            changed_.notify_all();
        } else {
            forCallbacks.push_back(std::move(delivery));
        }
    }
    arrived_.clear();
    if (forCallbacks.empty()) return;
    callbacks_.post([self = shared_from_this(), deliveries = std::move(forCallbacks)] {
        for (auto const& delivery : deliveries) self->deliver(delivery);
    });
}

// What the callback thread does, without the lock.

void SubscriberClient::Impl::deliver(Delivery const& delivery) {
    auto const& topic = *delivery.topic;
    {
        std::lock_guard const lock{runningMutex_};
        if (topic.active) running_ = &topic;
    }
    for (auto rest = delivery.batches; topic.active && !rest.empty();) {
        auto const next = nextBatch(rest);
        if (next) {
            deliverBatch(delivery, next->first, next->second);
        } else {
            Lock const lock{link.mutex};
            tellDamage(*delivery.name);
        }
    }
    {
        std::lock_guard const lock{runningMutex_};
        running_ = nullptr;
    }
    ranOut_.notify_all();
    Lock lock{link.mutex};
    handled(lock, *delivery.topic, delivery.batches.size());
}

void SubscriberClient::Impl::deliverBatch(Delivery const& delivery, BatchHeader const& header, ByteView batch) {
    auto const& topic = *delivery.topic;
    auto const& name = *delivery.name;
    std::uint64_t index = 0;
    BatchReader reader{batch};
    if (auto const* onMessages = std::get_if<OnMessages>(&topic.callback)) {
        messages_.clear();
        messages_.reserve(header.count);  // which the batch has room for
        while (auto const payload = reader.next()) messages_.push_back(toMessage(name, header, reader, *payload, index++));
        guard([&] { (*onMessages)(messages_); });
        noteProgress();
    } else if (auto const* onMessage = std::get_if<OnMessage>(&topic.callback)) {
        while (topic.active) {
            auto const payload = reader.next();
            if (!payload) break;
            auto const message = toMessage(name, header, reader, *payload, index++);
            guard([&] { (*onMessage)(message); });
            noteProgress();
        }
    } else if (auto const* onString = std::get_if<OnString>(&topic.callback)) {
        while (topic.active) {
            auto const payload = reader.next();
            if (!payload) break;
            ++index;
            // A callback that does not keep the string leaves its memory for the next one.
            text_.assign(protocol::asText(*payload));
            guard([&] { (*onString)(std::move(text_)); });
            noteProgress();
        }
    }
    Lock const lock{link.mutex};
    stats_.received += index;
    if (topic.active && !reader.intact()) tellDamage(name);
}

/// A callback has returned. While callbacks are slow the hub is told now and then that they do return; while they are fast even
/// the clock is looked at only now and then.
void SubscriberClient::Impl::noteProgress() {
    if (++sinceLook_ < lookEvery_) return;
    sinceLook_ = 0;
    auto const now = Clock::now();
    lookEvery_ = now - std::exchange(lastLook_, now) < 1ms ? std::min(lookEvery_ * 2, kLookAtMostEvery) : 1;
    if (now - toldProgress_ < kTellProgressEvery) return;
    toldProgress_ = now;
    Lock lock{link.mutex};
    tellProgress(lock, false);
}

void SubscriberClient::Impl::tellProgress(Lock& lock, bool pull) {
    ++handledCount_;
    if (link.up()) {
        std::vector<std::byte> control;
        topics_.tellProgress(pull, control);
        link.sendEncoded(control);
        link.write(lock);
    }
    if (stalledAt_) link.wake();
}

template <typename Callback>
void SubscriberClient::Impl::guard(Callback&& callback) {
    auto const report = [this](std::string_view what) {
        Lock lock{link.mutex};
        auto const tell = onError;
        lock.unlock();
        if (tell) tell(Error::callbackFailed, what);
    };
    guarded(report, callback);
}

/// Cuts the next batch off `rest`. A damaged one is passed over: those behind it, perhaps of other publishers, are good, unless its
/// header makes no sense.
std::optional<SubscriberClient::Impl::Batch> SubscriberClient::Impl::nextBatch(ByteView& rest) const {
    auto const header = BatchHeader::decode(rest);
    auto const batch = rest.first(header ? header->totalBytes() : rest.size());
    rest = rest.subspan(batch.size());
    if (!header || (options_.verifyChecksums && !protocol::checksumFits(batch))) return std::nullopt;
    return Batch{*header, batch};
}

/// A Delivery has been dealt with: its bytes are room for more.
void SubscriberClient::Impl::handled(Lock& lock, InTopic& topic, std::size_t bytes) {
    ++handledCount_;
    stats_.queuedBytes -= bytes;
    std::vector<std::byte> control;
    if (topics_.countHandled(topic, bytes, link.up(), Clock::now(), control)) {
        link.sendEncoded(control);
        link.write(lock);
    }
    if (stalledAt_) link.wake();
}

void SubscriberClient::Impl::tellDamage(std::string_view topic) {
    ++stats_.damaged;
    call(&Impl::onError, Error::damaged, "a batch of topic '" + std::string{topic} + "' arrived damaged and was given up");
}

/// Queues a call of the callback as it is set when its turn comes. With the link's lock held.
template <typename Function, typename... Args>
void SubscriberClient::Impl::call(Function Impl::*callback, Args... args) {
    if (closed_ || !(this->*callback)) return;
    callbacks_.post([self = shared_from_this(), callback, ... arguments = std::move(args)] {
        Lock lock{self->link.mutex};
        auto const function = (*self).*callback;
        lock.unlock();
        self->guard([&] { function(arguments...); });
    });
}

}  // namespace gazellemq::client
