#pragma once
#include <string_view>
#include <vector>

#include "LatencyJson.hpp"
#include "Meters.hpp"
#include "Reception.hpp"
#include "Schedule.hpp"
#include "TimedContent.hpp"

namespace gazellemq::perf {

/// A Reception of messages that carry the time at which they were due: it also keeps how long each took. The
/// threads are those of Reception.
class TimedReception {
  public:
    TimedReception(Workload const& workload, ParentLink const& parent)
        : size_(workload.size),
          schedule_(0, workload.rate),
          checked_(TimedContent::ofRests(workload), parent) {
        samples_.reserve(workload.messages);
    }

    /// The callback for one message.
    void accept(std::string_view payload) {
        auto const now = monotonicNs();
        checked_.accept(0, isIntact(payload) ? TimedContent::restOf(payload) : std::string_view{});
        if (payload.size() == size_) samples_.push_back(now - TimedContent::dueNsOf(payload));
        checked_.endOfBatch();
    }

    Reception& checked() { return checked_; }
    /// Call when no callback runs any more.
    void sendResult() { checked_.sendResult({{"latency", Latency{latencyOf(std::move(samples_))}}}); }

  private:
    /// The times are a function of the sequence and the first of them.
    bool isIntact(std::string_view payload) {
        if (payload.size() != size_) return false;
        auto const sequence = MessageContent::headerOf(TimedContent::restOf(payload)).sequence;
        auto const start = TimedContent::dueNsOf(payload) - schedule_.dueAt(sequence);
        if (samples_.empty()) startNs_ = start;
        return start == startNs_;
    }

    std::size_t size_;
    Schedule schedule_;
    std::int64_t startNs_ = 0;
    std::vector<std::int64_t> samples_;
    Reception checked_;
};

}  // namespace gazellemq::perf
