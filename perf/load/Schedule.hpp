#pragma once
#include <cstdint>

namespace gazellemq::perf {

/// When each message of an open loop is to be sent: message n at start + n / rate. Pure.
class Schedule {
  public:
    /// `startNs` of CLOCK_MONOTONIC; `rate` in messages per second, 1 or more.
    Schedule(std::int64_t startNs, std::uint64_t rate) : startNs_(startNs), rate_(rate) {}

    std::int64_t dueAt(std::uint64_t message) const {
        return startNs_ + static_cast<std::int64_t>(message * kSecond / rate_);
    }
    /// How many messages are due at `now`.
    std::uint64_t dueBy(std::int64_t now) const {
        if (now < startNs_) return 0;
        // Message n is due when n * second / rate, rounded down, has passed.
        return (static_cast<std::uint64_t>(now - startNs_ + 1) * rate_ - 1) / kSecond + 1;
    }

  private:
    static constexpr std::uint64_t kSecond = 1'000'000'000;

    std::int64_t startNs_;
    std::uint64_t rate_;
};

}  // namespace gazellemq::perf
