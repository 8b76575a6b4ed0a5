#pragma once
#include <cstdint>

#include "Schedule.hpp"

namespace gazellemq::perf {

/// Tells the thread that makes it when to send. It sleeps until the next message is due, with a timer slack
/// of 1 ns, and hands out everything that is due when it wakes: some 5 us late. It never spins: on a small
/// machine that would take a processor from what is measured. What it is late counts, as latency runs from
/// the time at which a message was due; it is the same for hub and relay.
class Pacer {
  public:
    /// The first message is due in a millisecond.
    explicit Pacer(std::uint64_t rate);

    std::int64_t dueAt(std::uint64_t message) const { return schedule_.dueAt(message); }
    /// Waits until message `next` is due. Returns the end of the messages that are due now.
    std::uint64_t waitFor(std::uint64_t next) const;

  private:
    Schedule schedule_;
};

}  // namespace gazellemq::perf
