#pragma once
#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gazellemq::perf {

/// What many connections that only answer heartbeats cost a hub. Pure.
struct IdleResult {
    std::uint64_t connections = 0;
    double readyMs = 0;           ///< from the first connect to the last WELCOME
    std::uint64_t baseBytes = 0;  ///< the hub's memory (VmRSS) before the first connection
    std::uint64_t idleBytes = 0;  ///< and with all of them
    double seconds = 0;           ///< how long they were watched
    double cpuSeconds = 0;        ///< of the hub meanwhile
    std::uint64_t heartbeats = 0; ///< PINGs that the hub sent meanwhile

    double bytesPerConnection() const;
    /// Of one processor.
    double cpuPercent() const { return seconds > 0 ? 100 * cpuSeconds / seconds : 0; }
};

nlohmann::ordered_json toJson(IdleResult const& result);
std::string toText(IdleResult const& result);

}  // namespace gazellemq::perf
