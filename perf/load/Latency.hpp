#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace gazellemq::perf {

/// How long the messages of one run took, in microseconds.
struct Latency {
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p999 = 0;
    double max = 0;
};

/// The figures of a Latency with the names that they have in JSON.
struct LatencyFigure {
    char const* name;
    double Latency::*value;
};
inline constexpr std::array kLatencyFigures{
    LatencyFigure{"p50_us", &Latency::p50}, LatencyFigure{"p90_us", &Latency::p90},
    LatencyFigure{"p99_us", &Latency::p99}, LatencyFigure{"p999_us", &Latency::p999},
    LatencyFigure{"max_us", &Latency::max}};

/// Percentiles by nearest rank: p99 is the smallest sample that 99 % do not exceed. Every sample is kept and
/// sorted, which is exact, and quick for the some hundred thousand of a run. All 0 without samples. Pure.
Latency latencyOf(std::vector<std::int64_t> samplesNs);

}  // namespace gazellemq::perf
