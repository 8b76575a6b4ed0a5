#include "IdleReport.hpp"

#include <nlohmann/json.hpp>

#include "Print.hpp"

namespace gazellemq::perf {

/// Not below 0: at a few connections the allocator's own ups and downs are larger.
double IdleResult::bytesPerConnection() const {
    if (connections == 0 || idleBytes < baseBytes) return 0;
    return static_cast<double>(idleBytes - baseBytes) / static_cast<double>(connections);
}

nlohmann::ordered_json toJson(IdleResult const& result) {
    return {{"connections", result.connections},
            {"ready_ms", result.readyMs},
            {"hub_base_rss_bytes", result.baseBytes},
            {"hub_rss_bytes", result.idleBytes},
            {"bytes_per_connection", result.bytesPerConnection()},
            {"seconds", result.seconds},
            {"heartbeats", result.heartbeats},
            {"hub_cpu_percent", result.cpuPercent()}};
}

std::string toText(IdleResult const& result) {
    return counted(result.connections, "connection") + print(" ready after %.0f ms\n", result.readyMs) +
           print("The hub's memory: %.1f MB before, %.1f MB with them, %.0f bytes each\n",
                 static_cast<double>(result.baseBytes) / 1e6, static_cast<double>(result.idleBytes) / 1e6,
                 result.bytesPerConnection()) +
           print("Its processor time over %.1f s with ", result.seconds) +
           counted(result.heartbeats, "heartbeat") + print(": %.2f %% of one processor\n", result.cpuPercent());
}

}  // namespace gazellemq::perf
