#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "Latency.hpp"
#include "StalledTally.hpp"
#include "Statistics.hpp"
#include "Verifier.hpp"
#include "Workload.hpp"

namespace gazellemq::perf {

/// What one run showed. The middle is the hub or the relay.
struct RunResult {
    double seconds = 0;        ///< from the first publish call to the last callback of the slowest subscriber
    double publisherCpu = 0;   ///< CPU seconds, all publishers
    double subscriberCpu = 0;  ///< CPU seconds, all subscribers
    std::optional<double> middleCpu;  ///< CPU seconds; nothing for a hub that we did not start
    std::optional<double> middlePeakBytes;
    std::optional<Latency> latency;  ///< of the runs that measure it; the worst of all subscribers
    Verdict verdict;                 ///< sum of all subscribers but the stalled ones
    std::optional<StalledTally> stalled;  ///< of the runs that have such
};

/// The runs of one kind. Pure.
struct Series {
    std::string middle;  ///< "hub" or "relay"
    Workload workload;
    std::vector<RunResult> runs;

    double rate(RunResult const& run) const { return static_cast<double>(workload.messages) / run.seconds; }
    double cpuNsPerMessage(RunResult const& run) const {
        return run.middleCpu.value_or(0) * 1e9 / static_cast<double>(workload.messages);
    }

    template <typename Value>
    double medianOf(Value const& value) const {
        std::vector<double> values;
        for (auto const& run : runs) values.push_back(value(run));
        return median(std::move(values));
    }

    Verdict verdict() const {
        Verdict sum;
        for (auto const& run : runs) sum += run.verdict;
        return sum;
    }
    StalledTally stalled() const {
        StalledTally sum;
        for (auto const& run : runs) sum += run.stalled.value_or(StalledTally{});
        return sum;
    }
};

}  // namespace gazellemq::perf
