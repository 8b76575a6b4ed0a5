#include "Latency.hpp"

#include <algorithm>

namespace gazellemq::perf {

Latency latencyOf(std::vector<std::int64_t> samplesNs) {
    if (samplesNs.empty()) return {};
    std::sort(samplesNs.begin(), samplesNs.end());
    auto const at = [&](std::size_t perMille) {
        auto const rank = (samplesNs.size() * perMille + 999) / 1000;
        return static_cast<double>(samplesNs[std::max<std::size_t>(rank, 1) - 1]) / 1e3;
    };
    return {.p50 = at(500), .p90 = at(900), .p99 = at(990), .p999 = at(999), .max = at(1000)};
}

}  // namespace gazellemq::perf
