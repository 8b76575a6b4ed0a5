#pragma once
#include <algorithm>

#include "RunResult.hpp"

namespace gazellemq::perf {

/// Medians of the ratios of pairs of runs, hub by relay: what the machine did meanwhile cancels out. Pure.
struct Comparison {
    double rate = 0;  ///< above 1: the hub is faster
    double cpu = 0;   ///< CPU of the middle process; above 1: the hub takes more; 0 if it was not measured

    Comparison(Series const& hub, Series const& relay) {
        std::vector<double> rates;
        std::vector<double> cpus;
        for (std::size_t i = 0; i < std::min(hub.runs.size(), relay.runs.size()); ++i) {
            rates.push_back(hub.rate(hub.runs[i]) / relay.rate(relay.runs[i]));
            cpus.push_back(hub.cpuNsPerMessage(hub.runs[i]) / relay.cpuNsPerMessage(relay.runs[i]));
        }
        rate = median(std::move(rates));
        cpu = median(std::move(cpus));
    }
};

}  // namespace gazellemq::perf
