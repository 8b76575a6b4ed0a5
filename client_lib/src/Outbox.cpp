#include "Outbox.hpp"

#include <algorithm>
#include <cstring>

#include "Batch.hpp"
#include "Frame.hpp"
#include "TopicName.hpp"

namespace gazellemq::client {

using protocol::BatchHeader;

namespace {

/// A topic's first batch begins in a small buffer, so that a thousand quiet topics are cheap.
constexpr std::size_t kSmallBuffer = 2 * 1024;
constexpr std::size_t kKeptBuffers = 64;

}  // namespace

void Outbox::setLimits(Limits const& limits) {
    limits_ = limits;
    fullPool_ = protocol::BufferPool::create(limits.maxBatchBytes, kKeptBuffers);
}

OutTopic* Outbox::topic(std::string_view name, Error& error) {
    if (auto const at = byName_.find(name); at != byName_.end()) return at->second.get();
    error = protocol::checkTopic(name);
    if (error != Error::ok) return nullptr;
    auto made = std::make_unique<OutTopic>();
    made->name = name;
    made->handle = static_cast<std::uint32_t>(byHandle_.size());
    auto* topic = made.get();
    byHandle_.push_back(topic);
    byName_.emplace(topic->name, std::move(made));
    return topic;
}

/// append() when the message begins a batch, needs a larger buffer or fills the batch.
bool Outbox::appendAtLimit(OutTopic& topic, std::string_view payload) {
    auto const size = BatchHeader::kLengthBytes + payload.size();
    auto filled = false;
    if (topic.openCount > 0 && topic.openBytes + size > limits_.maxBatchBytes) {
        seal(topic);
        ++fullBatches_;
        filled = true;
    }
    if (topic.openCount == 0) begin(topic, size);
    if (topic.openBytes + size > topic.open->capacity()) grow(topic, topic.openBytes + size);
    put(topic, payload);
    if (topic.openBytes + BatchHeader::kLengthBytes >= limits_.maxBatchBytes || topic.openCount == limits_.maxBatchMessages) {
        seal(topic);
        ++fullBatches_;
        filled = true;
    }
    return filled;
}

void Outbox::noteRoom(OutTopic& topic) const {
    // A batch without room for one more empty message is full.
    topic.roomEnd = std::min(topic.open->capacity(), limits_.maxBatchBytes - BatchHeader::kLengthBytes - 1);
}

void Outbox::begin(OutTopic& topic, std::size_t messageBytes) {
    auto const least = kBatchStart + messageBytes;
    auto const full = limits_.maxBatchBytes;
    auto const wanted = least > full ? least : topic.large || least > kSmallBuffer ? full : std::min(kSmallBuffer, full);
    topic.open = fullPool_->take(wanted);
    topic.openBytes = kBatchStart;
    noteRoom(topic);
    bufferedBytes_ += kBatchStart;
    if (!topic.listed) {
        topic.listed = true;
        openTopics_.push_back(&topic);
    }
    if (topic.link == OutTopic::Link::closed && up_) needOpen(topic);
}

/// A small buffer became too small: the batch goes on in a full-size one.
void Outbox::grow(OutTopic& topic, std::size_t bytes) {
    auto larger = fullPool_->take(std::max(bytes, limits_.maxBatchBytes));
    std::memcpy(larger->data(), topic.open->data(), topic.openBytes);
    topic.open = std::move(larger);
    noteRoom(topic);
}

void Outbox::seal(OutTopic& topic) {
    auto const batchBytes = topic.openBytes - protocol::kDataHeaderBytes;
    auto* frame = topic.open->data();
    protocol::storeDataHeader(frame, protocol::FrameType::publish, topic.handle, 0, batchBytes);
    protocol::sealBatch(frame + protocol::kDataHeaderBytes, static_cast<std::uint32_t>(batchBytes - BatchHeader::kBytes),
                        topic.openCount, producerId_, topic.sequence + 1);
    topic.sequence += topic.openCount;
    topic.large = topic.openBytes > kSmallBuffer;
    topic.waitingBytes += topic.openBytes;
    sealedBytes_ += topic.openBytes;
    topic.sealed.push_back({std::move(topic.open), topic.openBytes, topic.openCount, topic.sequence});
    topic.openBytes = 0;
    topic.openCount = 0;
    topic.roomEnd = 0;
    offer(topic);
}

bool Outbox::sealOpen(Which which) {
    std::vector<OutTopic*> still;
    auto waitsForWrite = false;
    for (auto* topic : openTopics_) {
        auto const busy = which == Which::quiet && std::exchange(topic->sequenceSeen, topic->sequence) != topic->sequence;
        auto const sendable = topic->sealed.empty() && topic->canSend() && !busy;
        if (topic->openCount > 0 && (which == Which::all || sendable)) seal(*topic);
        topic->listed = topic->openCount > 0;
        if (!topic->listed) continue;
        still.push_back(topic);
        waitsForWrite |= topic->canSend();
    }
    openTopics_ = std::move(still);
    return waitsForWrite;
}

void Outbox::offer(OutTopic& topic) {
    if (topic.queued || topic.sealed.empty() || !topic.canSend()) return;
    topic.queued = true;
    ready_.push_back(&topic);
}

void Outbox::needOpen(OutTopic& topic) {
    topic.link = OutTopic::Link::opening;
    toOpen_.push_back(&topic);
}

void Outbox::linkUp(std::vector<std::byte>& control, std::size_t maxFrameBytes, std::size_t maxPayloadBytes) {
    up_ = true;
    maxFrameBytes_ = maxFrameBytes;
    limits_.maxPayloadBytes = maxPayloadBytes;
    for (auto* topic : byHandle_) {
        if (topic->openCount > 0 || !topic->sealed.empty()) needOpen(*topic);
    }
    openTopics(control);
}

void Outbox::openTopics(std::vector<std::byte>& control) {
    for (auto* topic : toOpen_) encode(protocol::OpenTopic{topic->handle, topic->handle, topic->name}, control);
    toOpen_.clear();
}

void Outbox::linkDown() {
    up_ = false;
    // Unwritten batches go back to the front, the last one first.
    for (; !inFlight_.empty(); inFlight_.pop_back()) {
        auto& last = inFlight_.back();
        if (!last.sent) last.topic->sealed.push_front(std::move(last.batch));
    }
    for (auto* topic : byHandle_) {
        settle(*topic, topic->sent, lost_);
        topic->link = OutTopic::Link::closed;
        topic->sentBytes = topic->credit = 0;
        topic->queued = false;
    }
    ready_.clear();
    toOpen_.clear();
    writtenPosition_ = 0;
}

void Outbox::fill(protocol::OutputQueue& out, std::size_t most) {
    while (!ready_.empty() && out.bytes() < most && out.hasRoom()) {
        auto& topic = *ready_.front();
        ready_.pop_front();
        topic.queued = false;
        skipTooLarge(topic);
        if (topic.sealed.empty() || !topic.canSend()) continue;
        auto& batch = topic.sealed.front();
        out.push(batch.buffer, {batch.buffer->data(), batch.frameBytes});
        topic.sentBytes += batch.frameBytes - protocol::kDataHeaderBytes;
        inFlight_.push_back({&topic, std::move(batch), writtenPosition_ + out.bytes()});
        topic.sealed.pop_front();
        offer(topic);
    }
}

void Outbox::markSent(InFlight& batch) {
    if (std::exchange(batch.sent, true)) return;
    batch.topic->sent = batch.batch.lastSequence;
    countOut(*batch.topic, batch.batch);
}

/// A sealed batch waits no more.
void Outbox::countOut(OutTopic& topic, OutTopic::Sealed const& batch) {
    buffered_ -= batch.count;
    bufferedBytes_ -= batch.frameBytes;
    topic.waitingBytes -= batch.frameBytes;
    sealedBytes_ -= batch.frameBytes;
}

void Outbox::written(std::size_t bytes) {
    writtenPosition_ += bytes;
    while (!inFlight_.empty() && inFlight_.front().endPosition <= writtenPosition_) {
        markSent(inFlight_.front());
        inFlight_.pop_front();
    }
}

void Outbox::onConfirm(protocol::Confirm const& confirm) {
    if (confirm.handle >= byHandle_.size()) return;
    auto& topic = *byHandle_[confirm.handle];
    if (topic.link != OutTopic::Link::closed) topic.link = OutTopic::Link::open;
    topic.credit = std::max(topic.credit, confirm.credit);
    if (confirm.sequence > topic.sent) {
        // The confirm was faster than the thread that wrote: what is confirmed has been sent.
        for (auto& batch : inFlight_) {
            if (batch.topic == &topic && batch.batch.lastSequence <= confirm.sequence) markSent(batch);
        }
    }
    settle(topic, std::min(confirm.sequence, topic.sent), confirmed_);
    offer(topic);
}

/// Everything up to `upTo` is settled; counts it, without the refused batches in between.
void Outbox::settle(OutTopic& topic, std::uint64_t upTo, std::uint64_t& counter) {
    if (upTo <= topic.settled) return;
    auto count = upTo - topic.settled;
    for (; !topic.skipped.empty() && topic.skipped.front().last <= upTo; topic.skipped.pop_front()) {
        count -= topic.skipped.front().count;
    }
    counter += count;
    topic.settled = upTo;
    passSkipped(topic);
}

/// Refused batches right behind the settled ones are settled too.
void Outbox::passSkipped(OutTopic& topic) {
    for (; !topic.skipped.empty() && topic.skipped.front().last - topic.skipped.front().count == topic.settled; topic.skipped.pop_front()) {
        topic.settled = topic.skipped.front().last;
    }
    topic.sent = std::max(topic.sent, topic.settled);
}

/// Messages accepted before this hub told its limit, which it would not take.
void Outbox::skipTooLarge(OutTopic& topic) {
    while (!topic.sealed.empty() && topic.sealed.front().frameBytes > maxFrameBytes_) {
        auto const& batch = topic.sealed.front();
        failures_.push_back({topic.name, batch.count, Error::tooLarge, std::string{describe(Error::tooLarge)}});
        topic.skipped.push_back({batch.lastSequence, batch.count});
        countOut(topic, batch);
        refused_ += batch.count;
        topic.sealed.pop_front();
        passSkipped(topic);
    }
}

void Outbox::onReply(protocol::Reply const& reply) {
    if (reply.requestId >= byHandle_.size() || reply.code == Error::ok) return;
    refuseAll(*byHandle_[reply.requestId], reply.code, reply.sentence);
}

/// Gives up everything that waits in a topic which the hub does not open.
void Outbox::refuseAll(OutTopic& topic, Error code, std::string_view reason, std::uint64_t alreadyRefused) {
    topic.link = OutTopic::Link::closed;
    if (topic.openCount > 0) seal(topic);
    std::uint64_t count = 0;
    for (auto const& batch : topic.sealed) {
        count += batch.count;
        countOut(topic, batch);
    }
    topic.sealed.clear();
    topic.skipped.clear();
    topic.sent = topic.settled = topic.sequence;
    refused_ += count;
    failures_.push_back({topic.name, count + alreadyRefused, code, std::string{reason}});
}

void Outbox::onTopicDeleted(protocol::Notice const& notice, std::vector<std::byte>& control) {
    if (notice.handle >= byHandle_.size()) return;
    auto& topic = *byHandle_[notice.handle];
    // What a thread is writing goes out all the same; the hub does not take it any more.
    for (auto& batch : inFlight_) {
        if (batch.topic == &topic) markSent(batch);
    }
    auto const before = refused_;
    settle(topic, topic.sent, refused_);
    refuseAll(topic, notice.code, notice.sentence, refused_ - before);
    topic.sentBytes = topic.credit = 0;
    std::erase(ready_, &topic);
    topic.queued = false;
    encode(protocol::CloseTopic{topic.handle}, control);
}

PublisherStats Outbox::stats() const {
    return {published_, confirmed_, buffered_, published_ - confirmed_ - buffered_ - lost_ - refused_, lost_, refused_, bufferedBytes_};
}

std::vector<std::pair<OutTopic const*, std::uint64_t>> Outbox::flushTargets() const {
    std::vector<std::pair<OutTopic const*, std::uint64_t>> targets;
    for (auto const* topic : byHandle_) {
        if (topic->accepted() > topic->settled) targets.emplace_back(topic, topic->accepted());
    }
    return targets;
}

}  // namespace gazellemq::client
