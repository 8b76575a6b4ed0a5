#include "Reception.hpp"

#include <nlohmann/json.hpp>

#include "Meters.hpp"
#include "VerdictJson.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::chrono::seconds kLastPatience{5};

}  // namespace

void Reception::begin() { cpuAtStart_ = ownCpuSeconds(); }

void Reception::end() {
    if (ended_.exchange(true)) return;
    endNs_ = monotonicNs();
    cpuSeconds_ = ownCpuSeconds() - cpuAtStart_;
    parent_.send("complete");
}

void Reception::waitForFinish(ParentLink& parent) {
    auto received = this->received();
    while (!parent.waitFor("finish", kLastPatience)) {
        auto const now = this->received();
        if (!ended() && now == received) giveUp();
        received = now;
    }
}

void Reception::sendResult() const { sendResult(nlohmann::json::object()); }

void Reception::sendResult(nlohmann::json fields) const {
    fields.update({{"end_ns", endNs_}, {"cpu_seconds", cpuSeconds_}});
    addFaults(fields, verifier_.verdict());
    parent_.send("result", std::move(fields));
}

}  // namespace gazellemq::perf
