#pragma once
#include <nlohmann/json.hpp>

#include "Verifier.hpp"

namespace gazellemq::perf {

/// The faults as every report and every role names them.
template <typename Json>
void addFaults(Json& json, Verdict const& verdict) {
    json["lost"] = verdict.lost;
    json["duplicated"] = verdict.duplicated;
    json["out_of_order"] = verdict.outOfOrder;
    json["corrupt"] = verdict.corrupt;
}

}  // namespace gazellemq::perf
