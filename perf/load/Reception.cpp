#include "Reception.hpp"

#include <nlohmann/json.hpp>

#include "Meters.hpp"

namespace gazellemq::perf {

void Reception::begin() { cpuAtStart_ = ownCpuSeconds(); }

void Reception::end() {
    if (ended_.exchange(true)) return;
    endNs_ = monotonicNs();
    cpuSeconds_ = ownCpuSeconds() - cpuAtStart_;
    parent_.send("complete");
}

void Reception::sendResult() const {
    auto const verdict = verifier_.verdict();
    parent_.send("result", {{"end_ns", endNs_},
                            {"cpu_seconds", cpuSeconds_},
                            {"lost", verdict.lost},
                            {"duplicated", verdict.duplicated},
                            {"out_of_order", verdict.outOfOrder},
                            {"corrupt", verdict.corrupt}});
}

}  // namespace gazellemq::perf
