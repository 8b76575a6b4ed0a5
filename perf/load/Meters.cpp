#include "Meters.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/resource.h>

namespace gazellemq::perf {
namespace {

double seconds(timespec const& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds(timeval const& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::uint64_t statusBytes(pid_t pid, std::string_view line) {
    std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
    for (std::string word; status >> word;) {
        std::uint64_t kilobytes = 0;
        if (word == line && status >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

}  // namespace

std::int64_t monotonicNs() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

double ownCpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double cpuSecondsOf(pid_t pid) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return seconds(time);
}

std::uint64_t peakMemoryBytesOf(pid_t pid) { return statusBytes(pid, "VmHWM:"); }

std::uint64_t residentBytesOf(pid_t pid) { return statusBytes(pid, "VmRSS:"); }

std::uint64_t openDescriptorsOf(pid_t pid) {
    std::error_code gone;
    std::filesystem::directory_iterator const entries{"/proc/" + std::to_string(pid) + "/fd", gone};
    return gone ? 0 : static_cast<std::uint64_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace gazellemq::perf
