#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "MessageContent.hpp"
#include "Workload.hpp"

namespace gazellemq::perf {

/// Payloads that know when they should have been sent: nanoseconds of CLOCK_MONOTONIC (8 bytes), then what
/// MessageContent makes. Of one publisher. Pure.
class TimedContent {
  public:
    static constexpr std::size_t kTimeBytes = sizeof(std::int64_t);
    static constexpr std::size_t kMinBytes = kTimeBytes + MessageContent::kMinBytes;

    /// `size` is at least kMinBytes.
    explicit TimedContent(std::size_t size) : rest_(size - kTimeBytes) {}

    std::size_t size() const { return kTimeBytes + rest_.size(); }

    void write(std::uint64_t sequence, std::int64_t dueNs, char* out) const {
        std::memcpy(out, &dueNs, kTimeBytes);
        rest_.write({.sequence = sequence, .publisher = 0}, out + kTimeBytes);
    }

    /// `payload` has kMinBytes or more.
    static std::int64_t dueNsOf(std::string_view payload) {
        std::int64_t due = 0;
        std::memcpy(&due, payload.data(), kTimeBytes);
        return due;
    }
    static std::string_view restOf(std::string_view payload) { return payload.substr(kTimeBytes); }

    /// `workload` as a Verifier of the rests sees it.
    static Workload ofRests(Workload workload) {
        workload.size -= kTimeBytes;
        return workload;
    }

  private:
    MessageContent rest_;
};

}  // namespace gazellemq::perf
