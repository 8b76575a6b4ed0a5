#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "Cursor.hpp"
#include "gazellemq/hub/Limits.hpp"

namespace gazellemq::hub {

class Subscription;
class Topic;

/// One subscription in one topic: its cursors, one for each partition that it reads, and what it was told. Owned by the Subscription,
/// known to the Topic.
struct Reader {
    Topic* topic;
    Subscription* subscription;
    SlowPolicy policy = SlowPolicy::block;
    bool announced = false;          ///< the subscriber knows the topic's name
    std::uint64_t dropped = 0;       ///< messages lost since the subscriber was last told
    std::uint64_t droppedInAll = 0;
    std::size_t index = 0;           ///< in the topic's list
    std::vector<Cursor> cursors{};   ///< never grows: others point at them

    /// Does its lag slow the publishers?
    bool blocks() const { return policy == SlowPolicy::block; }
};

}  // namespace gazellemq::hub
