#pragma once
#include <cstdint>
#include <map>

namespace gazellemq::perf {

/// The numbers that were skipped in a counting sequence, as ranges [first, end). Pure.
class Gaps {
  public:
    void add(std::uint64_t first, std::uint64_t end) { ranges_.emplace(first, end); }

    /// Removes `number`; false if it is not in a gap.
    bool take(std::uint64_t number) {
        auto range = ranges_.upper_bound(number);
        if (range == ranges_.begin()) return false;
        --range;
        auto const [first, end] = *range;
        if (number >= end) return false;
        ranges_.erase(range);
        if (first < number) ranges_.emplace(first, number);
        if (number + 1 < end) ranges_.emplace(number + 1, end);
        return true;
    }

  private:
    std::map<std::uint64_t, std::uint64_t> ranges_;
};

}  // namespace gazellemq::perf
