#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "Cursor.hpp"
#include "gazellemq/hub/Limits.hpp"

namespace gazellemq::hub {

class Session;

/// One SUBSCRIBE of one connection: a cursor for each topic that it matches, and the credit that the subscriber gave.
/// Owned by the Session.
class Subscription {
  public:
    Subscription(Session& session, std::uint32_t id, std::string pattern, std::optional<SlowPolicy> policy, std::uint64_t credit)
        : session_(session), id_(id), pattern_(std::move(pattern)), policy_(policy), credit_(credit) {}
    Subscription(Subscription const&) = delete;
    Subscription& operator=(Subscription const&) = delete;

    Session& session() const { return session_; }
    std::uint32_t id() const { return id_; }
    std::string const& pattern() const { return pattern_; }
    /// Empty: what the topic says.
    std::optional<SlowPolicy> chosenPolicy() const { return policy_; }
    /// Does what it has not taken yet slow publishers?
    bool holdsUpPublishers() const {
        return std::any_of(ready_.begin(), ready_.end(), [](Cursor const* cursor) { return cursor->blocks(); });
    }

    bool hasCredit() const { return delivered_ < credit_; }
    void raiseCredit(std::uint64_t credit) {
        if (credit > credit_) credit_ = credit;
    }
    void countDelivered(std::uint64_t bytes) { delivered_ += bytes; }
    std::uint64_t delivered() const { return delivered_; }

    std::unordered_map<Topic*, std::unique_ptr<Cursor>>& cursors() { return cursors_; }
    /// Cursors with something to deliver, in turn.
    std::deque<Cursor*>& ready() { return ready_; }

    bool queued = false;              ///< in its session's list of subscriptions to serve
    std::uint64_t queuedAt = 0;       ///< its place there, counted from the first that was ever in it
    std::int64_t lastProgressMs = 0;  ///< when it last took something, or began to have something to take

  private:
    Session& session_;
    std::uint32_t const id_;
    std::string const pattern_;
    std::optional<SlowPolicy> const policy_;
    std::uint64_t credit_;
    std::uint64_t delivered_ = 0;
    std::unordered_map<Topic*, std::unique_ptr<Cursor>> cursors_;
    std::deque<Cursor*> ready_;
};

}  // namespace gazellemq::hub
