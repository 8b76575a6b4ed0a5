#pragma once
#include <nlohmann/json.hpp>

#include "TopicSettings.hpp"

namespace gazellemq::hub {

/// Topic settings as people and programs see them: the same names, units and limits in every operation. Pure.
nlohmann::ordered_json toJson(TopicSettings const& settings);

/// `before` with what `changes`, a JSON object, says. Throws BadArgument with the setting and the remedy.
TopicSettings changed(TopicSettings before, nlohmann::json const& changes, Limits const& limits);

}  // namespace gazellemq::hub
