#pragma once
#include <algorithm>
#include <chrono>

namespace gazellemq::client {

/// Pauses between attempts: doubling from `min` to `max`, each shortened at random by up to half, so that many
/// clients of a restarted hub do not come back in one moment. Pure: the caller brings the randomness.
class Backoff {
  public:
    using Duration = std::chrono::milliseconds;

    Backoff(Duration min, Duration max) : min_(std::max(min, Duration{1})), max_(std::max(max, min_)), next_(min_) {}

    /// `random`: 0 to 1.
    Duration next(double random) {
        auto const full = next_;
        next_ = std::min(next_ * 2, max_);
        return Duration{static_cast<Duration::rep>(static_cast<double>(full.count()) * (1.0 - random / 2))};
    }

    void reset() { next_ = min_; }

  private:
    Duration min_;
    Duration max_;
    Duration next_;
};

}  // namespace gazellemq::client
