#pragma once
#include <cstdint>

#include <sys/types.h>

namespace gazellemq::perf {

/// Nanoseconds of CLOCK_MONOTONIC: one clock for all processes of this machine.
std::int64_t monotonicNs();

/// CPU time of this process so far, all threads, user and system.
double ownCpuSeconds();

/// CPU time of process `pid` so far, all threads that it ever had, in nanosecond resolution. 0 if it is gone.
double cpuSecondsOf(pid_t pid);

/// The most memory that process `pid` ever had resident (VmHWM). 0 if it is gone.
std::uint64_t peakMemoryBytesOf(pid_t pid);
/// The memory that it has resident now (VmRSS). 0 if it is gone.
std::uint64_t residentBytesOf(pid_t pid);

/// How many descriptors process `pid` has open. 0 if it is gone or another user's.
std::uint64_t openDescriptorsOf(pid_t pid);

}  // namespace gazellemq::perf
