#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "MemoryLog.hpp"
#include "OutputQueue.hpp"
#include "Subscription.hpp"

namespace gazellemq::hub {

class Broker;

/// Chooses what a connection is sent next: its subscriptions with credit and something to deliver take turns, one frame
/// each. Owned by the Session.
class Delivery {
  public:
    /// Bytes gathered for one write.
    static constexpr std::size_t kGatherBytes = 256 * 1024;

    explicit Delivery(Broker& broker) : broker_(broker) {}

    /// `subscription` may have something to deliver. True if the connection should be written to.
    bool offer(Subscription& subscription);
    /// Forgets a subscription that is going away.
    void forget(Subscription& subscription);
    /// All of them: one by one would take the square of their number.
    void forgetAll();
    /// Adds frames to `out` until it holds enough for one write or nothing is left to send.
    void fill(protocol::OutputQueue& out);
    bool empty() const { return queue_.empty(); }

  private:
    struct Frame {
        std::size_t bytes = 0;
        std::uint64_t messages = 0;
    };

    void serve(Subscription& subscription, protocol::OutputQueue& out);
    Frame gather(Cursor& cursor);
    bool isWanted(Cursor const& cursor, MemoryLog::Entry const& entry) const;
    void takePart(Cursor& cursor, MemoryLog::Entry const& entry);
    void dropExpired(Cursor& cursor);
    static void announce(Cursor& cursor, protocol::OutputQueue& out);

    Broker& broker_;
    std::vector<StoredBatch> pieces_;  // of the frame that is being made
    std::deque<Subscription*> queue_;
    std::uint64_t served_ = 0;  // taken from the front of the queue so far
};

}  // namespace gazellemq::hub
