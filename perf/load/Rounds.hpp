#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "LatencyJson.hpp"
#include "MessageContent.hpp"
#include "Meters.hpp"
#include "Reception.hpp"

namespace gazellemq::perf {

/// The asking side of a ping-pong, SDK and raw alike: one message is on its way at a time. next() and
/// accept() belong to one thread, or to two that hand over to each other; the rest to the main thread.
class Rounds {
  public:
    /// Sent and checked like the others, before the first round that is measured.
    static constexpr std::uint64_t kWarmUp = 200;

    /// `workload.messages` are all rounds, with the warm-up.
    Rounds(Workload const& workload, ParentLink const& parent)
        : content_(workload.size),
          count_(workload.messages),
          message_(workload.size, '\0'),
          checked_(workload, parent) {
        samples_.reserve(count_);
    }

    bool atEnd() const { return next_ == count_; }
    /// The next ping, to be sent now. Not at the end.
    std::string_view next() {
        content_.write({.sequence = next_++, .publisher = 0}, message_.data());
        sentNs_ = monotonicNs();
        return message_;
    }
    /// The answer.
    void accept(std::string_view pong) {
        auto const now = monotonicNs();
        if (next_ > kWarmUp) samples_.push_back(now - sentNs_);
        checked_.accept(0, pong);
        checked_.endOfBatch();
    }

    Reception& checked() { return checked_; }
    /// Call when no callback runs any more.
    void sendResult() { checked_.sendResult({{"latency", Latency{latencyOf(std::move(samples_))}}}); }

  private:
    MessageContent content_;
    std::uint64_t count_;
    std::uint64_t next_ = 0;
    std::string message_;
    std::int64_t sentNs_ = 0;
    std::vector<std::int64_t> samples_;
    Reception checked_;
};

}  // namespace gazellemq::perf
