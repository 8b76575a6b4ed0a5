#include "Delivery.hpp"

#include <algorithm>
#include <utility>

#include "Broker.hpp"
#include "ControlFrames.hpp"

namespace gazellemq::hub {

using protocol::OutputQueue;

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

/// One DELIVER frame: whole batches of one topic, together at most kMaxJoinedFrameBytes unless the first is larger.
void Delivery::serve(Subscription& subscription, OutputQueue& out) {
    auto* cursor = subscription.ready().front();
    subscription.ready().pop_front();
    auto& topic = *cursor->topic;
    auto const& log = topic.log();
    if (topic.paused) return topic.waitForAppend(*cursor);
    announce(subscription, *cursor, out);
    if (cursor->next == log.endIndex()) return topic.waitForAppend(*cursor);  // all was given up

    constexpr std::size_t kMostBatches = OutputQueue::kMaxPieces / 4;
    auto end = cursor->next;
    std::size_t bytes = 0;
    std::uint64_t messages = 0;
    for (; end < log.endIndex() && end - cursor->next < kMostBatches; ++end) {
        auto const& entry = log.at(end);
        if (bytes > 0 && protocol::kDataHeaderBytes + bytes + entry.bytes.size() > protocol::kMaxJoinedFrameBytes) break;
        bytes += entry.bytes.size();
        messages += entry.count;
    }
    out.pushDataHeader(protocol::FrameType::deliver, subscription.id(), topic.id(), bytes);
    while (cursor->next < end) {
        auto const& entry = log.at(cursor->next);
        out.push(entry.owner, entry.bytes);
        topic.advance(*cursor);
    }
    subscription.countDelivered(bytes);
    broker_.countDelivered(topic, subscription, bytes, messages);

    if (cursor->next < log.endIndex()) {
        subscription.ready().push_back(cursor);
    } else {
        topic.waitForAppend(*cursor);
    }
}

/// The topic's name before its first frame, and what was lost since the last one.
void Delivery::announce(Subscription& subscription, Cursor& cursor, OutputQueue& out) {
    std::vector<std::byte> frames;
    auto const handle = cursor.topic->id();
    if (!cursor.announced) {
        encode(protocol::TopicNamed{subscription.id(), handle, cursor.topic->name()}, frames);
        cursor.announced = true;
    }
    if (cursor.dropped > 0) {
        encode(protocol::Dropped{subscription.id(), handle, cursor.dropped}, frames);
        cursor.dropped = 0;
    }
    out.push(std::move(frames));
}

}  // namespace gazellemq::hub
