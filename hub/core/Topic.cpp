#include "Topic.hpp"

#include <algorithm>

#include "EraseFrom.hpp"
#include "Subscription.hpp"
#include "TopicName.hpp"

namespace gazellemq::hub {
namespace {

/// A publisher's share of the window: enough to keep a link busy, little enough to stay in the cache.
constexpr std::uint64_t kMaxShare = 1024 * 1024;
constexpr std::uint64_t kMinShare = 64 * 1024;

bool byWildcard(Reader const& reader) { return protocol::hasWildcard(reader.subscription->pattern()); }

std::size_t retainedOf(TopicSettings const& settings) { return settings.retainBytes / settings.partitions; }

}  // namespace

Topic::Topic(std::uint32_t id, std::string name, TopicSettings const& settings) : id_(id), name_(std::move(name)), settings_(settings) {
    partitions_.reserve(settings.partitions);
    for (std::uint16_t number = 0; number < settings.partitions; ++number) {
        partitions_.push_back(std::make_unique<Partition>(*this, number, retainedOf(settings)));
    }
}

void Topic::change(TopicSettings const& settings) {
    settings_ = settings;
    settings_.partitions = partitionCount();
    for (auto const& partition : partitions_) partition->retain(retainedOf(settings_));
}

std::size_t Topic::bytes() const {
    std::size_t bytes = 0;
    for (auto const& partition : partitions_) bytes += partition->log().bytes();
    return bytes;
}

std::uint64_t Topic::messages() const {
    std::uint64_t messages = 0;
    for (auto const& partition : partitions_) messages += partition->log().messages();
    return messages;
}

std::uint64_t Topic::giveUp(std::size_t keep, DropReason reason, protocol::BufferPool& pool) {
    std::uint64_t dropped = 0;
    for (auto const& partition : partitions_) dropped += partition->giveUp(keep / partitions_.size(), reason, pool);
    return dropped;
}

std::uint64_t Topic::purge(DropReason reason) {
    std::uint64_t dropped = 0;
    for (auto const& partition : partitions_) dropped += partition->purge(reason);
    return dropped;
}

void Topic::forgetRetained() {
    for (auto const& partition : partitions_) partition->forgetRetained();
}

bool Topic::allWait() const {
    return std::all_of(partitions_.begin(), partitions_.end(), [](auto const& partition) { return partition->allWait(); });
}

bool Topic::allows(SlowPolicy policy, bool byWildcard) const {
    return policy == (byWildcard ? settings_.slowWildcard : settings_.slowConsumer) || settings_.choice.allows(policy);
}

SlowPolicy Topic::policyFor(Subscription const& subscription) const {
    auto const byWildcard = protocol::hasWildcard(subscription.pattern());
    if (auto const chosen = subscription.chosenPolicy(); chosen && allows(*chosen, byWildcard)) return *chosen;
    return byWildcard ? settings_.slowWildcard : settings_.slowConsumer;
}

void Topic::attach(Reader& reader, protocol::BufferPool& pool) {
    reader.policy = policyFor(*reader.subscription);
    reader.index = readers_.size();
    readers_.push_back(&reader);
    if (!byWildcard(reader)) ++readersByName_;
    auto const chosen = reader.subscription->partition();
    for (auto const& partition : partitions_) {
        if (!chosen || partition->number() == *chosen) reader.cursors.push_back({&reader, partition.get()});
    }
    for (auto& cursor : reader.cursors) cursor.partition->attach(cursor, pool);
}

void Topic::detach(Reader& reader) {
    for (auto& cursor : reader.cursors) cursor.partition->detach(cursor);
    eraseFrom(readers_, reader, &Reader::index);
    if (!byWildcard(reader)) --readersByName_;
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
    auto room = static_cast<std::int64_t>(settings_.windowBytes);
    for (auto const& partition : partitions_) room -= static_cast<std::int64_t>(partition->log().blockedBytes());
    return room;
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
