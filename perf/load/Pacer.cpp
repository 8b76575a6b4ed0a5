#include "Pacer.hpp"

#include <ctime>

#include <sys/prctl.h>

#include "Meters.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::int64_t kLeadNs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

Pacer::Pacer(std::uint64_t rate) : schedule_(monotonicNs() + kLeadNs, rate) { prctl(PR_SET_TIMERSLACK, 1UL); }

std::uint64_t Pacer::waitFor(std::uint64_t next) const {
    auto const due = schedule_.dueAt(next);
    timespec const time{.tv_sec = due / kSecond, .tv_nsec = due % kSecond};
    auto now = monotonicNs();
    for (; now < due; now = monotonicNs()) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    return schedule_.dueBy(now);
}

}  // namespace gazellemq::perf
