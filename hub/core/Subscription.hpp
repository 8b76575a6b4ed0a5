#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "ControlFrames.hpp"
#include "Reader.hpp"
#include "gazellemq/hub/Limits.hpp"

namespace gazellemq::hub {

class Session;

/// One SUBSCRIBE of one connection: a reader for each topic that it matches, and the credit that the subscriber gave.
/// Owned by the Session.
class Subscription {
  public:
    struct Start {
        protocol::StartKind kind = protocol::StartKind::latest;
        std::uint64_t value = 0;
    };
    /// What it asked for beside the topics.
    struct Wishes {
        std::optional<SlowPolicy> policy = {};            ///< empty: what the topic says
        Start start = {};
        std::optional<std::uint16_t> partition = {};      ///< empty: all
        std::uint64_t notFrom = 0;                        ///< producers that it does not hear: see SUBSCRIBE
    };

    Subscription(Session& session, std::uint32_t id, std::string pattern, Wishes const& wishes, std::uint64_t credit)
        : session_(session), id_(id), pattern_(std::move(pattern)), wishes_(wishes), credit_(credit) {}
    Subscription(Subscription const&) = delete;
    Subscription& operator=(Subscription const&) = delete;

    Session& session() const { return session_; }
    std::uint32_t id() const { return id_; }
    std::string const& pattern() const { return pattern_; }
    std::optional<SlowPolicy> chosenPolicy() const { return wishes_.policy; }
    Start start() const { return wishes_.start; }
    std::optional<std::uint16_t> partition() const { return wishes_.partition; }
    bool isChoosy() const { return wishes_.notFrom != 0; }
    bool hears(std::uint64_t producerId) const {
        return wishes_.notFrom == 0 || (producerId ^ wishes_.notFrom) >> protocol::kObjectBits != 0;
    }
    /// Does what it has not taken yet slow publishers?
    bool holdsUpPublishers() const {
        return std::any_of(ready_.begin(), ready_.end(), [](Cursor const* cursor) { return cursor->reader->blocks(); });
    }

    bool hasCredit() const { return delivered_ < credit_; }
    void raiseCredit(std::uint64_t credit) {
        if (credit > credit_) credit_ = credit;
    }
    void countDelivered(std::uint64_t bytes) { delivered_ += bytes; }
    std::uint64_t delivered() const { return delivered_; }

    std::unordered_map<Topic*, std::unique_ptr<Reader>>& readers() { return readers_; }
    /// Cursors with something to deliver, in turn.
    std::deque<Cursor*>& ready() { return ready_; }

    bool queued = false;              ///< in its session's list of subscriptions to serve
    std::uint64_t queuedAt = 0;       ///< its place there, counted from the first that was ever in it
    std::int64_t lastProgressMs = 0;  ///< when it last took something, or began to have something to take

  private:
    Session& session_;
    std::uint32_t const id_;
    std::string const pattern_;
    Wishes const wishes_;
    std::uint64_t credit_;
    std::uint64_t delivered_ = 0;
    std::unordered_map<Topic*, std::unique_ptr<Reader>> readers_;
    std::deque<Cursor*> ready_;
};

}  // namespace gazellemq::hub
