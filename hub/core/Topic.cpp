#include "Topic.hpp"

#include <algorithm>

#include "Batch.hpp"
#include "Subscription.hpp"
#include "TopicName.hpp"

namespace gazellemq::hub {
namespace {

/// A publisher's share of the window: enough to keep a link busy, little enough to stay in the cache.
constexpr std::uint64_t kMaxShare = 1024 * 1024;
constexpr std::uint64_t kMinShare = 64 * 1024;

/// Takes the item that knows its place out of the list: with thousands of readers no search, as they may all leave together.
template <typename T>
void eraseFrom(std::vector<T*>& list, T& item, std::size_t T::*index) {
    list.back()->*index = item.*index;
    list[item.*index] = list.back();
    list.pop_back();
}

}  // namespace

void Topic::append(protocol::BufferRef owner, std::span<std::byte> batch, std::uint32_t count, Now now) {
    protocol::stampBatch(batch.data(), log_.endOffset(), now.wallNs);
    log_.append(std::move(owner), batch, count, readers_);
}

/// Makes some more room than needed, so that a reader at its limit is not moved at every append.
std::uint64_t Topic::makeRoom(std::size_t incoming, bool memoryIsShort) {
    auto const window = memoryIsShort ? settings_.windowBytes / 8 : settings_.windowBytes;
    if (readers_.dropping == 0 || log_.bytes() + incoming <= window) return 0;
    auto const slack = incoming + window / 8;
    return giveUp(window > slack ? window - slack : 0);
}

std::uint64_t Topic::giveUp(std::size_t keep) {
    if (readers_.dropping == 0 || log_.bytes() <= keep) return 0;
    auto const target = log_.droppableUpTo(keep);
    std::uint64_t dropped = 0;
    for (auto* cursor : cursors_) {
        if (cursor->blocks() || cursor->next >= target) continue;
        if (cursor->policy == SlowPolicy::disconnect) {
            tooSlow_.push_back(cursor->subscription);
            continue;
        }
        dropped += skip(*cursor, target);
    }
    return dropped;
}

/// Moves a reader forward to `target`; the number of messages that it loses.
std::uint64_t Topic::skip(Cursor& cursor, std::uint64_t target) {
    std::uint64_t dropped = 0;
    while (cursor.next < target) {
        dropped += log_.at(cursor.next).count;
        advance(cursor);
    }
    cursor.dropped += dropped;
    cursor.droppedInAll += dropped;
    counters.messagesDropped += dropped;
    return dropped;
}

std::uint64_t Topic::purge() {
    std::uint64_t dropped = 0;
    for (auto* cursor : cursors_) dropped += skip(*cursor, log_.endIndex());
    return dropped;
}

bool Topic::allows(SlowPolicy policy, bool byWildcard) const {
    return policy == (byWildcard ? settings_.slowWildcard : settings_.slowConsumer) || settings_.choice.allows(policy);
}

SlowPolicy Topic::policyFor(Subscription const& subscription) const {
    auto const byWildcard = protocol::hasWildcard(subscription.pattern());
    if (auto const chosen = subscription.chosenPolicy(); chosen && allows(*chosen, byWildcard)) return *chosen;
    return byWildcard ? settings_.slowWildcard : settings_.slowConsumer;
}

void Topic::attach(Cursor& cursor) {
    cursor.next = log_.endIndex();
    cursor.policy = policyFor(*cursor.subscription);
    cursor.index = cursors_.size();
    cursors_.push_back(&cursor);
    waitForAppend(cursor);
    ++(cursor.blocks() ? readers_.blocking : readers_.dropping);
    if (!protocol::hasWildcard(cursor.subscription->pattern())) ++readersByName_;
}

void Topic::detach(Cursor& cursor) {
    while (cursor.next < log_.endIndex()) advance(cursor);
    eraseFrom(cursors_, cursor, &Cursor::index);
    if (cursor.idle) eraseFrom(idle_, cursor, &Cursor::idleIndex);
    --(cursor.blocks() ? readers_.blocking : readers_.dropping);
    if (!protocol::hasWildcard(cursor.subscription->pattern())) --readersByName_;
}

void Topic::advance(Cursor& cursor) { log_.pass(cursor.next++, cursor.blocks()); }

void Topic::waitForAppend(Cursor& cursor) {
    cursor.idle = true;
    cursor.idleIndex = idle_.size();
    idle_.push_back(&cursor);
}

std::vector<Cursor*> Topic::takeIdle() {
    for (auto* cursor : idle_) cursor->idle = false;
    return std::exchange(idle_, {});
}

void Topic::attach(Publication& publication) {
    publication.index = publications_.size();
    publications_.push_back(&publication);
    unusedCredit_ += publication.unused();
}

void Topic::detach(Publication& publication) {
    eraseFrom(publications_, publication, &Publication::index);
    unusedCredit_ -= publication.unused();
    if (publication.starved) std::erase(starved_, &publication);
}

void Topic::countReceived(Publication& publication, std::size_t bytes) {
    unusedCredit_ -= publication.unused();
    publication.received += bytes;
    unusedCredit_ += publication.unused();
}

/// Bytes that may still be promised. Below zero when blocking readers hold more than the window.
std::int64_t Topic::room() const {
    return static_cast<std::int64_t>(settings_.windowBytes) - static_cast<std::int64_t>(log_.blockedBytes());
}

std::uint64_t Topic::share() const {
    return std::clamp<std::uint64_t>(settings_.windowBytes / std::max<std::size_t>(publications_.size(), 1), kMinShare, kMaxShare);
}

bool Topic::extendCredit(Publication& publication, bool memoryIsShort, std::uint64_t most) {
    auto const share = this->share();
    auto const unused = publication.unused();
    if (unused >= share) return false;
    // Credit that others do not use must not starve anyone: the least share is given as long as the window itself has room.
    auto const free = room() - static_cast<std::int64_t>(unusedCredit_);
    auto const least = room() > 0 ? static_cast<std::int64_t>(std::min(share, kMinShare)) : 0;
    auto const wanted = std::min(static_cast<std::int64_t>(share - unused), std::max(free, least - static_cast<std::int64_t>(unused)));
    // When all memory is promised, though not used, each topic gets one byte: good for one batch at a time.
    auto const given = std::min(wanted, static_cast<std::int64_t>(std::clamp<std::uint64_t>(most, 1, kMaxShare)));
    if (given <= 0 || memoryIsShort) {
        if (unused == 0 && !publication.starved) {
            publication.starved = true;
            starved_.push_back(&publication);
        }
        return false;
    }
    // The publisher may have gone over its credit by one batch: the new credit counts from what it sent.
    publication.credit = std::max(publication.credit, publication.received) + static_cast<std::uint64_t>(given);
    unusedCredit_ += publication.unused() - unused;
    return true;
}

std::vector<Publication*> Topic::takeFed(bool memoryIsShort) {
    // Wait for an eighth of the window, so that a slow reader's publishers get useful portions.
    if (starved_.empty() || memoryIsShort || room() < static_cast<std::int64_t>(settings_.windowBytes / 8)) return {};
    for (auto* publication : starved_) publication->starved = false;
    return std::exchange(starved_, {});
}

}  // namespace gazellemq::hub
