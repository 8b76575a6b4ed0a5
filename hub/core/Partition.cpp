#include "Partition.hpp"

#include <algorithm>
#include <utility>

#include "Batch.hpp"
#include "EraseFrom.hpp"
#include "Filter.hpp"
#include "Subscription.hpp"
#include "Topic.hpp"

namespace gazellemq::hub {
namespace {

using protocol::StartKind;

/// What waits for a conflating reader is looked through when it is so much, and as much as what was left of it before: each message
/// is then copied about twice, and no look takes long. Less than this is always worth a look.
constexpr std::size_t kConflateBytes = 64 * 1024;

std::size_t bytesOf(std::vector<StoredBatch> const& batches) {
    std::size_t bytes = 0;
    for (auto const& batch : batches) bytes += batch.bytes.size();
    return bytes;
}

}  // namespace

std::size_t Partition::window() const { return topic_.settings().windowBytes / topic_.partitionCount(); }

void Partition::append(StoredBatch batch, Now now) {
    // The publisher's bytes become the log's: the hub's part of the header is written in place.
    protocol::stampBatch(const_cast<std::byte*>(batch.bytes.data()), log_.endOffset(), now.wallNs, number_);
    log_.append(std::move(batch), readers_);
}

/// Makes some more room than needed, so that a reader at its limit is not moved at every append.
std::uint64_t Partition::makeRoom(std::size_t incoming, bool memoryIsShort, protocol::BufferPool& pool) {
    if (readers_.dropping == 0) return 0;
    if (conflating_ > 0 && log_.endPosition() >= conflateAt_) conflateLagging(pool);
    auto const window = memoryIsShort ? this->window() / 8 : this->window();
    if (log_.neededBytes() + incoming <= window) return 0;
    auto const slack = incoming + window / 8;
    return giveUp(window > slack ? window - slack : 0, memoryIsShort ? &Drops::memoryShort : &Drops::windowFull, pool);
}

std::uint64_t Partition::giveUp(std::size_t keep, DropReason reason, protocol::BufferPool& pool) {
    if (readers_.dropping == 0 || log_.neededBytes() <= keep) return 0;
    auto const target = log_.droppableUpTo(keep);
    std::uint64_t dropped = 0;
    for (auto* cursor : cursors_) {
        auto& reader = *cursor->reader;
        if (reader.blocks() || cursor->next >= target) continue;
        if (reader.policy == SlowPolicy::disconnect) {
            tooSlow_.push_back(reader.subscription);
        } else if (reader.policy == SlowPolicy::conflate) {
            conflate(*cursor, pool);
            dropped += dropOwn(*cursor, keep, reason);
        } else {
            dropped += dropOwn(*cursor, 0, reason) + skip(*cursor, target, reason);
        }
    }
    return dropped;
}

std::uint64_t Partition::purge(DropReason reason) {
    std::uint64_t dropped = 0;
    for (auto* cursor : cursors_) dropped += dropOwn(*cursor, 0, reason) + skip(*cursor, log_.endIndex(), reason);
    log_.forgetRetained();
    return dropped;
}

/// Moves a reader forward to `target`; the number of messages that it loses.
std::uint64_t Partition::skip(Cursor& cursor, std::uint64_t target, DropReason reason) {
    std::uint64_t dropped = 0;
    while (cursor.next < target) {
        auto const& entry = log_.at(cursor.next);
        auto const end = entry.baseOffset + entry.count;
        auto const heard = cursor.reader->subscription->hears(protocol::producerOf(entry.bytes.data()));
        if (heard) dropped += end - std::clamp(cursor.firstOffset, entry.baseOffset, end);
        advance(cursor);
    }
    countDropped(cursor, dropped, reason);
    return dropped;
}

/// Gives up the oldest of what was made for a reader alone, until at most `keep` bytes of it stay; the number of messages.
std::uint64_t Partition::dropOwn(Cursor& cursor, std::size_t keep, DropReason reason) {
    auto bytes = bytesOf(cursor.own);
    std::uint64_t dropped = 0;
    auto end = cursor.own.begin();
    for (; end != cursor.own.end() && bytes > keep; ++end) {
        bytes -= end->bytes.size();
        dropped += end->count;
    }
    cursor.own.erase(cursor.own.begin(), end);
    countDropped(cursor, dropped, reason);
    return dropped;
}

void Partition::countDropped(Cursor& cursor, std::uint64_t messages, DropReason reason) {
    cursor.reader->dropped += messages;
    cursor.reader->droppedInAll += messages;
    topic_.counters.dropped.*reason += messages;
}

void Partition::conflateLagging(protocol::BufferPool& pool) {
    conflateAt_ = log_.endPosition() + kConflateBytes;
    for (auto* cursor : cursors_) {
        if (cursor->reader->policy != SlowPolicy::conflate) continue;
        if (log_.bytesFrom(cursor->next) >= std::max(kConflateBytes, bytesOf(cursor->own))) conflate(*cursor, pool);
    }
}

bool Partition::wantsConflation(Cursor const& cursor) const {
    if (cursor.reader->policy != SlowPolicy::conflate || cursor.next == log_.endIndex()) return false;
    if (cursor.own.empty()) return log_.endIndex() - cursor.next > 1;
    auto const before = bytesOf(cursor.own);
    return before <= kConflateBytes || log_.bytesFrom(cursor.next) >= before;
}

void Partition::conflate(Cursor& cursor, protocol::BufferPool& pool) {
    auto waiting = std::exchange(cursor.own, {});
    for (auto i = cursor.next; i < log_.endIndex(); ++i) {
        auto const& entry = log_.at(i);
        // What was not asked for is no message that a newer one replaces.
        if (entry.baseOffset >= cursor.firstOffset) waiting.push_back(entry);
        else fromPlace(entry, cursor.firstOffset - entry.baseOffset, pool, waiting);
    }
    auto const conflated = newestPerKey(waiting, pool, cursor.own);
    topic_.counters.messagesConflated += conflated;
    while (cursor.next < log_.endIndex()) advance(cursor);
}

std::uint32_t Partition::hearers(std::uint64_t producerId) const {
    auto const all = static_cast<std::uint32_t>(cursors_.size());
    if (choosy_ == 0) return all;
    auto const deaf = std::count_if(cursors_.begin(), cursors_.end(), [&](Cursor const* cursor) { return !cursor->reader->subscription->hears(producerId); });
    return all - static_cast<std::uint32_t>(deaf);
}

std::uint64_t Partition::lagMessages(Cursor const& cursor) const {
    auto messages = log_.messagesFrom(cursor.next);
    if (cursor.next < log_.endIndex()) messages -= std::max(cursor.firstOffset, log_.at(cursor.next).baseOffset) - log_.at(cursor.next).baseOffset;
    for (auto const& batch : cursor.own) messages += batch.count;
    return messages;
}

std::uint64_t Partition::lagBytes(Cursor const& cursor) const { return log_.bytesFrom(cursor.next) + bytesOf(cursor.own); }

void Partition::attach(Cursor& cursor, protocol::BufferPool& pool) {
    findStart(cursor, pool);
    auto const& reader = *cursor.reader;
    log_.join(cursor.next, reader.blocks());
    cursor.index = cursors_.size();
    cursors_.push_back(&cursor);
    waitForAppend(cursor);
    ++(reader.blocks() ? readers_.blocking : readers_.dropping);
    if (reader.policy == SlowPolicy::conflate) ++conflating_;
    if (reader.subscription->isChoosy()) ++choosy_;
}

void Partition::findStart(Cursor& cursor, protocol::BufferPool& pool) {
    auto const start = cursor.reader->subscription->start();
    cursor.next = log_.endIndex();
    switch (start.kind) {
        case StartKind::latest: break;
        case StartKind::earliest: cursor.next = log_.beginIndex(); break;
        case StartKind::last:
            cursor.firstOffset = log_.endOffset() - std::min(start.value, log_.endOffset() - log_.beginOffset());
            cursor.next = log_.indexOf(cursor.firstOffset);
            break;
        case StartKind::lastPerKey: {
            std::vector<StoredBatch> batches;
            for (auto i = log_.beginIndex(); i < log_.endIndex(); ++i) batches.push_back(log_.at(i));
            newestPerKey(batches, pool, cursor.own);
            break;
        }
        case StartKind::offset:
            cursor.missing = start.value < log_.beginOffset() || start.value > log_.endOffset();
            cursor.missingFrom = start.value;
            cursor.firstOffset = std::clamp(start.value, log_.beginOffset(), log_.endOffset());
            cursor.next = log_.indexOf(cursor.firstOffset);
            break;
    }
}

void Partition::detach(Cursor& cursor) {
    auto const& reader = *cursor.reader;
    while (cursor.next < log_.endIndex()) advance(cursor);
    eraseFrom(cursors_, cursor, &Cursor::index);
    if (cursor.idle) takeFromIdle(cursor);
    --(reader.blocks() ? readers_.blocking : readers_.dropping);
    if (reader.policy == SlowPolicy::conflate) --conflating_;
    if (reader.subscription->isChoosy()) --choosy_;
}

void Partition::advance(Cursor& cursor) { log_.pass(cursor.next++, cursor.reader->blocks()); }

void Partition::waitForAppend(Cursor& cursor) {
    cursor.idle = true;
    cursor.idleIndex = idle_.size();
    idle_.push_back(&cursor);
}

void Partition::takeFromIdle(Cursor& cursor) {
    eraseFrom(idle_, cursor, &Cursor::idleIndex);
    cursor.idle = false;
}

std::vector<Cursor*> Partition::takeIdle() {
    for (auto* cursor : idle_) cursor->idle = false;
    return std::exchange(idle_, {});
}

}  // namespace gazellemq::hub
