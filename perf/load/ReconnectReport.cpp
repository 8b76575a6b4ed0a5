#include "ReconnectReport.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "Print.hpp"
#include "Statistics.hpp"

namespace gazellemq::perf {

double ReconnectResult::median() const { return perf::median(readyMs); }
double ReconnectResult::least() const {
    return readyMs.empty() ? 0 : *std::min_element(readyMs.begin(), readyMs.end());
}
double ReconnectResult::most() const {
    return readyMs.empty() ? 0 : *std::max_element(readyMs.begin(), readyMs.end());
}

nlohmann::ordered_json toJson(ReconnectResult const& result) {
    return {{"clients", result.clients},
            {"links", 2 * result.clients},
            {"down_ms", result.downMs},
            {"runs", result.readyMs.size()},
            {"ready_ms", result.median()},
            {"ready_min_ms", result.least()},
            {"ready_max_ms", result.most()},
            {"per_run_ready_ms", result.readyMs}};
}

std::string toText(ReconnectResult const& result) {
    return counted(result.clients, "client") + ", " + counted(result.readyMs.size(), "restart") +
           print(" of the hub: all ready again after %.0f ms (median; least %.0f, most %.0f)\n", result.median(),
                 result.least(), result.most());
}

}  // namespace gazellemq::perf
