#pragma once
#include <nlohmann/json.hpp>

#include "Topic.hpp"

namespace gazellemq::hub {

/// What a list shows of a topic: name, settings, counters, what its window holds.
nlohmann::ordered_json toJson(Topic const& topic);

/// The counters of a topic or of the hub.
void put(TopicCounters const& counters, nlohmann::ordered_json& json);

/// What the window of each partition holds.
nlohmann::ordered_json partitionsOf(Topic const& topic);

/// And of each of its readers, at most `most`: who, how far behind, what it lost.
nlohmann::ordered_json readersOf(Topic const& topic, std::size_t most);

}  // namespace gazellemq::hub
