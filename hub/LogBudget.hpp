#pragma once
#include <algorithm>
#include <cstdint>

namespace gazellemq::hub {

/// How many lines may be logged: `perSecond`, and as many at once after a quiet second. Peers cause most lines; a storm of them must
/// not fill a disk. Pure.
class LogBudget {
  public:
    explicit LogBudget(std::uint64_t perSecond) : perSecond_(perSecond), left_(perSecond) {}

    /// May a line be logged at `nowMs` (steady clock)? If not it is counted as left out.
    bool take(std::int64_t nowMs) {
        auto const passed = static_cast<std::uint64_t>(std::max<std::int64_t>(nowMs - filledAtMs_, 0));
        if (passed >= 1000) {
            left_ = perSecond_;
            filledAtMs_ = nowMs;
        } else if (auto const more = passed * perSecond_ / 1000; more > 0) {
            left_ = std::min(left_ + more, perSecond_);
            // Parts of a line count for the next one.
            filledAtMs_ += static_cast<std::int64_t>((more * 1000 + perSecond_ - 1) / perSecond_);
        }
        if (left_ > 0) {
            --left_;
            return true;
        }
        ++leftOut_;
        return false;
    }
    /// Lines left out since the last call, if one could be logged now that tells so.
    std::uint64_t takeLeftOut(std::int64_t nowMs) {
        if (leftOut_ == 0) return 0;
        auto const before = leftOut_;
        if (!take(nowMs)) {
            leftOut_ = before;
            return 0;
        }
        leftOut_ = 0;
        return before;
    }

  private:
    std::uint64_t const perSecond_;
    std::uint64_t left_;
    std::uint64_t leftOut_ = 0;
    std::int64_t filledAtMs_ = 0;
};

}  // namespace gazellemq::hub
