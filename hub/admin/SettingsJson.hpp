#pragma once
#include <nlohmann/json.hpp>

#include "TopicSettings.hpp"

namespace gazellemq::hub {

/// Topic settings as people and programs see them: the same names, units and limits in every operation. Pure.
nlohmann::ordered_json toJson(TopicSettings const& settings);

/// Of a new topic: the hub's defaults with what `changes`, a JSON object, says. Throws BadArgument with the setting and the remedy.
TopicSettings created(nlohmann::json const& changes, Limits const& limits);

/// The same of a topic that is there: `before` with the changes.
TopicSettings changed(TopicSettings before, nlohmann::json const& changes, Limits const& limits);

}  // namespace gazellemq::hub
