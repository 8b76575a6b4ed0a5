#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gazellemq::perf {

/// How long clients take to be back after their hub was killed and started again. Pure.
struct ReconnectResult {
    std::uint64_t clients = 0;    ///< each a publisher and a subscriber, with a link of its own each
    double downMs = 0;            ///< how long nobody served, beside the time to kill and start a process
    std::vector<double> readyMs;  ///< of each restart: from the hub's "ready" to the last client's

    double median() const;
    double least() const;
    double most() const;
};

nlohmann::ordered_json toJson(ReconnectResult const& result);
std::string toText(ReconnectResult const& result);

}  // namespace gazellemq::perf
