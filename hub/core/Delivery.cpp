#include "Delivery.hpp"

#include <algorithm>
#include <utility>

#include "Broker.hpp"
#include "ControlFrames.hpp"
#include "Filter.hpp"

namespace gazellemq::hub {

using protocol::OutputQueue;

namespace {

/// Of what the reader gets next, as far as it is known.
std::uint64_t nextOffset(Cursor const& cursor) {
    auto const& log = cursor.partition->log();
    return cursor.next < log.endIndex() ? std::max(cursor.firstOffset, log.at(cursor.next).baseOffset) : log.endOffset();
}

}  // namespace

bool Delivery::offer(Subscription& subscription) {
    if (subscription.queued || subscription.ready().empty() || !subscription.hasCredit()) return false;
    subscription.queued = true;
    subscription.queuedAt = served_ + queue_.size();
    queue_.push_back(&subscription);
    return true;
}

void Delivery::forget(Subscription& subscription) {
    if (!std::exchange(subscription.queued, false)) return;
    // The last one takes its place: thousands may be forgotten one after the other.
    queue_.back()->queuedAt = subscription.queuedAt;
    queue_[static_cast<std::size_t>(subscription.queuedAt - served_)] = queue_.back();
    queue_.pop_back();
}

void Delivery::forgetAll() {
    for (auto* subscription : queue_) subscription->queued = false;
    queue_.clear();
}

void Delivery::fill(OutputQueue& out) {
    while (!queue_.empty() && out.bytes() < kGatherBytes && out.hasRoom()) {
        auto* subscription = queue_.front();
        queue_.pop_front();
        ++served_;
        subscription->queued = false;
        if (subscription->ready().empty() || !subscription->hasCredit()) continue;
        serve(*subscription, out);
        offer(*subscription);
    }
}

/// One DELIVER frame: whole batches of one partition, together at most kMaxJoinedFrameBytes unless the first is larger.
void Delivery::serve(Subscription& subscription, OutputQueue& out) {
    auto& cursor = *subscription.ready().front();
    subscription.ready().pop_front();
    auto& partition = *cursor.partition;
    auto& topic = partition.topic();
    if (topic.paused) return partition.waitForAppend(cursor);
    if (partition.wantsConflation(cursor)) partition.conflate(cursor, broker_.pool());
    announce(cursor, out);

    auto const frame = gather(cursor);
    if (frame.bytes > 0) {
        out.pushDataHeader(protocol::FrameType::deliver, subscription.id(), topic.id(), frame.bytes);
        for (auto& piece : pieces_) out.push(std::move(piece.owner), piece.bytes);
        subscription.countDelivered(frame.bytes);
    }
    pieces_.clear();
    broker_.countDelivered(topic, subscription, frame.bytes, frame.messages);

    if (cursor.next < partition.log().endIndex() || !cursor.own.empty()) {
        subscription.ready().push_back(&cursor);
    } else {
        partition.waitForAppend(cursor);
    }
}

/// What goes into the next frame of `cursor`, in pieces_; moves it on.
Delivery::Frame Delivery::gather(Cursor& cursor) {
    constexpr std::size_t kMostBatches = OutputQueue::kMaxPieces / 4;
    auto& partition = *cursor.partition;
    auto const& log = partition.log();
    auto const fits = [&](Frame const& frame, std::size_t bytes) {
        return frame.bytes == 0 || protocol::kDataHeaderBytes + frame.bytes + bytes <= protocol::kMaxJoinedFrameBytes;
    };
    auto const add = [&](Frame& frame, StoredBatch const& batch) {
        frame.bytes += batch.bytes.size();
        frame.messages += batch.count;
        pieces_.push_back({batch.owner, batch.bytes});
    };
    Frame frame;
    if (!cursor.own.empty()) {
        dropExpired(cursor);
        auto own = cursor.own.begin();
        while (own != cursor.own.end() && pieces_.size() < kMostBatches && fits(frame, own->bytes.size())) add(frame, *own++);
        cursor.own.erase(cursor.own.begin(), own);
        if (!cursor.own.empty()) return frame;
    }
    for (; cursor.next < log.endIndex() && pieces_.size() < kMostBatches; partition.advance(cursor)) {
        auto const& entry = log.at(cursor.next);
        if (isWanted(cursor, entry)) [[likely]] {
            if (!fits(frame, entry.bytes.size())) break;
            add(frame, entry);
            continue;
        }
        // What is left of it waits as the cursor's own, to be sent before anything else.
        takePart(cursor, entry);
        if (!cursor.own.empty()) {
            partition.advance(cursor);
            break;
        }
    }
    return frame;
}

/// Does the reader get all of it?
bool Delivery::isWanted(Cursor const& cursor, MemoryLog::Entry const& entry) const {
    return entry.baseOffset >= cursor.firstOffset && !entry.mayHaveExpired(broker_.now().steadyMs) &&
           cursor.reader->subscription->hears(protocol::producerOf(entry.bytes.data()));
}

/// Looks through what was made for the reader alone.
void Delivery::dropExpired(Cursor& cursor) {
    auto const nowMs = broker_.now().steadyMs;
    if (std::none_of(cursor.own.begin(), cursor.own.end(), [&](auto const& batch) { return batch.mayHaveExpired(nowMs); })) return;
    std::uint64_t expired = 0;
    for (auto const& batch : std::exchange(cursor.own, {})) expired += withoutExpired(batch, nowMs, broker_.pool(), cursor.own);
    broker_.countExpired(cursor.partition->topic(), expired);
}

/// Leaves of an entry what the reader gets, in `own`.
void Delivery::takePart(Cursor& cursor, MemoryLog::Entry const& entry) {
    if (!cursor.reader->subscription->hears(protocol::producerOf(entry.bytes.data()))) return;
    std::vector<StoredBatch> wanted;
    if (entry.baseOffset < cursor.firstOffset) fromPlace(entry, cursor.firstOffset - entry.baseOffset, broker_.pool(), wanted);
    else wanted.push_back(entry);
    std::uint64_t expired = 0;
    for (auto const& batch : wanted) expired += withoutExpired(batch, broker_.now().steadyMs, broker_.pool(), cursor.own);
    broker_.countExpired(cursor.partition->topic(), expired);
}

/// The topic's name before its first frame, and what was lost since the last one.
void Delivery::announce(Cursor& cursor, OutputQueue& out) {
    auto& reader = *cursor.reader;
    if (reader.announced && reader.dropped == 0 && !cursor.missing) [[likely]] return;
    std::vector<std::byte> frames;
    auto const id = reader.subscription->id();
    auto const handle = reader.topic->id();
    if (!std::exchange(reader.announced, true)) encode(protocol::TopicNamed{id, handle, reader.topic->name()}, frames);
    if (reader.dropped > 0) encode(protocol::Dropped{id, handle, std::exchange(reader.dropped, 0)}, frames);
    if (std::exchange(cursor.missing, false)) {
        encode(protocol::Gap{id, handle, cursor.partition->number(), cursor.missingFrom, nextOffset(cursor)}, frames);
    }
    out.push(std::move(frames));
}

}  // namespace gazellemq::hub
