#pragma once
#include <cstddef>
#include <cstdint>

#include "gazellemq/hub/Limits.hpp"

namespace gazellemq::hub {

class Topic;
class Subscription;

/// The place of one subscription in one topic's log. Owned by the Subscription, known to the Topic.
struct Cursor {
    Topic* topic;
    Subscription* subscription;
    std::uint64_t next = 0;     ///< index of the first entry not yet delivered
    std::uint64_t dropped = 0;  ///< messages skipped since the subscriber was last told
    std::uint64_t droppedInAll = 0;
    SlowPolicy policy = SlowPolicy::block;
    bool announced = false;     ///< the subscriber knows the topic's name
    bool idle = true;           ///< caught up: waiting in the topic for the next append
    std::size_t index = 0;      ///< in the topic's list of all cursors
    std::size_t idleIndex = 0;  ///< in its list of those that wait

    /// Does its lag slow the publishers?
    bool blocks() const { return policy == SlowPolicy::block; }
};

}  // namespace gazellemq::hub
