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

OpenBatch& Outbox::batchOf(OutTopic& topic, std::uint16_t partition) {
    if (partition == 0) return topic.open;
    if (topic.parts.size() < partition) topic.parts.resize(partition);
    auto& part = topic.parts[partition - 1U];
    if (!part) part = std::make_unique<OpenBatch>();
    return *part;
}

bool Outbox::append(OutTopic& topic, std::string_view payload, Envelope const& envelope) {
    auto& batch = batchOf(topic, envelope.partition);
    auto const sizeWith = [&](std::uint16_t flags) {
        auto const headers = flags == 0 ? 0 : BatchHeader::kHeadersLengthBytes + envelope.headers.size();
        return BatchHeader::kLengthBytes + headers + payload.size();
    };
    auto filled = false;
    auto const close = [&] {
        seal(topic, batch);
        ++fullBatches_;
        filled = true;
    };
    // A message without headers may be in a batch with them, not the other way round.
    auto const fits = (batch.flags != 0 || envelope.flags == 0) && batch.keyedFor == envelope.keyedFor &&
                      batch.bytes + sizeWith(batch.flags) <= limits_.maxBatchBytes;
    if (batch.count > 0 && !fits) close();
    if (batch.count == 0) begin(topic, batch, sizeWith(envelope.flags), envelope);
    auto const size = sizeWith(batch.flags);
    if (batch.bytes + size > batch.buffer->capacity()) grow(batch, batch.bytes + size);
    batch.flags |= envelope.flags;
    if (batch.flags == 0) put(topic, batch, payload);
    else putHeaded(topic, batch, payload, envelope.headers);
    if (batch.bytes + BatchHeader::kLengthBytes >= limits_.maxBatchBytes || batch.count == limits_.maxBatchMessages) close();
    return filled;
}

void Outbox::putHeaded(OutTopic& topic, OpenBatch& batch, std::string_view payload, protocol::ByteView headers) {
    auto const bytes = BatchHeader::kHeadersLengthBytes + headers.size() + payload.size();
    auto* at = batch.buffer->data() + batch.bytes;
    protocol::store(at, static_cast<std::uint32_t>(bytes));
    at += BatchHeader::kLengthBytes;
    protocol::store(at, static_cast<std::uint16_t>(headers.size()));
    at = std::copy(headers.begin(), headers.end(), at + BatchHeader::kHeadersLengthBytes);
    std::memcpy(at, payload.data(), payload.size());
    countPut(topic, batch, BatchHeader::kLengthBytes + bytes);
}

void Outbox::noteRoom(OpenBatch& batch) const {
    // A batch without room for one more empty message is full.
    batch.roomEnd = batch.flags != 0 ? 0 : std::min(batch.buffer->capacity(), limits_.maxBatchBytes - BatchHeader::kLengthBytes - 1);
}

void Outbox::begin(OutTopic& topic, OpenBatch& batch, std::size_t messageBytes, Envelope const& envelope) {
    auto const least = kBatchStart + messageBytes;
    auto const full = limits_.maxBatchBytes;
    auto const wanted = least > full ? least : topic.large || least > kSmallBuffer ? full : std::min(kSmallBuffer, full);
    batch.buffer = fullPool_->take(wanted);
    batch.bytes = kBatchStart;
    batch.flags = envelope.flags;
    batch.partition = envelope.partition;
    batch.keyedFor = envelope.keyedFor;
    noteRoom(batch);
    bufferedBytes_ += kBatchStart;
    if (!topic.listed) {
        topic.listed = true;
        openTopics_.push_back(&topic);
    }
    if (topic.link == OutTopic::Link::closed && up_) needOpen(topic);
}

/// A small buffer became too small: the batch goes on in a full-size one.
void Outbox::grow(OpenBatch& batch, std::size_t bytes) {
    auto larger = fullPool_->take(std::max(bytes, limits_.maxBatchBytes));
    std::memcpy(larger->data(), batch.buffer->data(), batch.bytes);
    batch.buffer = std::move(larger);
    noteRoom(batch);
}

void Outbox::seal(OutTopic& topic, OpenBatch& batch) {
    auto const batchBytes = batch.bytes - protocol::kDataHeaderBytes;
    auto* frame = batch.buffer->data();
    protocol::storeDataHeader(frame, protocol::FrameType::publish, topic.handle, batch.partition, batchBytes);
    protocol::sealBatch(frame + protocol::kDataHeaderBytes, static_cast<std::uint32_t>(batchBytes - BatchHeader::kBytes), batch.count,
                        producerId_, topic.sequence + 1, batch.flags);
    topic.sequence += batch.count;
    topic.openCount -= batch.count;
    topic.large = batch.bytes > kSmallBuffer;
    topic.waitingBytes += batch.bytes;
    sealedBytes_ += batch.bytes;
    topic.sealed.push_back({std::move(batch.buffer), batch.bytes, batch.count, topic.sequence, batch.partition, batch.keyedFor});
    batch = {};
    offer(topic);
}

void Outbox::sealAll(OutTopic& topic) {
    if (topic.open.count > 0) seal(topic, topic.open);
    for (auto const& part : topic.parts) {
        if (part && part->count > 0) seal(topic, *part);
    }
}

bool Outbox::sealOpen(Which which) {
    std::vector<OutTopic*> still;
    auto waitsForWrite = false;
    for (auto* topic : openTopics_) {
        auto const busy = which == Which::quiet && std::exchange(topic->sequenceSeen, topic->sequence) != topic->sequence;
        auto const sendable = topic->sealed.empty() && topic->canSend() && !busy;
        if (which == Which::all || sendable) sealAll(*topic);
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
        topic->sentBytes = topic->credit = topic->toldUnheard = 0;
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
        skipRefused(topic);
        if (topic.sealed.empty() || !topic.canSend()) continue;
        auto& batch = topic.sealed.front();
        // Its key may choose another partition among as many as there are now: the hub looks.
        if (batch.keyedFor != 0 && batch.keyedFor != topic.partitions) protocol::storePartition(batch.buffer->data(), 0);
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
    if (confirm.sequence > topic.settled) topic.subscriptions = confirm.subscriptions;
    unheard_ += confirm.unheard - std::exchange(topic.toldUnheard, confirm.unheard);
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

/// Messages accepted before this hub told what it would not take.
void Outbox::skipRefused(OutTopic& topic) {
    for (auto code = Error::ok; !topic.sealed.empty() && (code = whyRefused(topic, topic.sealed.front())) != Error::ok;) {
        auto const& batch = topic.sealed.front();
        failures_.push_back({topic.name, batch.count, code, std::string{describe(code)}});
        topic.skipped.push_back({batch.lastSequence, batch.count});
        countOut(topic, batch);
        refused_ += batch.count;
        topic.sealed.pop_front();
        passSkipped(topic);
    }
}

Error Outbox::whyRefused(OutTopic const& topic, OutTopic::Sealed const& batch) const {
    if (batch.frameBytes > maxFrameBytes_) return Error::tooLarge;
    return batch.keyedFor == 0 && batch.partition > topic.partitions ? Error::noSuchPartition : Error::ok;
}

void Outbox::onReply(protocol::Reply const& reply) {
    if (reply.requestId >= byHandle_.size()) return;
    auto& topic = *byHandle_[reply.requestId];
    if (reply.code != Error::ok) return refuseAll(topic, reply.code, reply.sentence);
    if (std::exchange(topic.partitions, reply.partitions) != reply.partitions) sealAll(topic);
}

/// Gives up everything that waits in a topic which the hub does not open.
void Outbox::refuseAll(OutTopic& topic, Error code, std::string_view reason, std::uint64_t alreadyRefused) {
    topic.link = OutTopic::Link::closed;
    sealAll(topic);
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
    topic.sentBytes = topic.credit = topic.toldUnheard = 0;
    std::erase(ready_, &topic);
    topic.queued = false;
    encode(protocol::CloseTopic{topic.handle}, control);
}

PublisherStats Outbox::stats() const {
    return {published_, confirmed_, buffered_, published_ - confirmed_ - buffered_ - lost_ - refused_, lost_, refused_, bufferedBytes_, unheard_};
}

std::optional<std::uint32_t> Outbox::subscriptionsOf(std::string_view topic) const {
    auto const at = byName_.find(topic);
    return at == byName_.end() ? std::nullopt : at->second->subscriptions;
}

std::vector<std::pair<OutTopic const*, std::uint64_t>> Outbox::flushTargets() const {
    std::vector<std::pair<OutTopic const*, std::uint64_t>> targets;
    for (auto const* topic : byHandle_) {
        if (topic->accepted() > topic->settled) targets.emplace_back(topic, topic->accepted());
    }
    return targets;
}

}  // namespace gazellemq::client
