#pragma once
#include <nlohmann/json.hpp>

#include "Latency.hpp"

namespace gazellemq::perf {

inline void to_json(nlohmann::json& json, Latency const& latency) {
    for (auto const& figure : kLatencyFigures) json[figure.name] = latency.*figure.value;
}

inline void from_json(nlohmann::json const& json, Latency& latency) {
    for (auto const& figure : kLatencyFigures) json.at(figure.name).get_to(latency.*figure.value);
}

}  // namespace gazellemq::perf
