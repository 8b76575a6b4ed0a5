#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "StoredBatch.hpp"

namespace gazellemq::hub {

class Partition;
struct Reader;

/// The place of one subscription in one partition's log. Owned by its Reader, known to the Partition.
struct Cursor {
    Reader* reader;
    Partition* partition;
    std::uint64_t next = 0;         ///< index of the first entry not yet delivered
    std::uint64_t firstOffset = 0;  ///< messages before it were not asked for
    std::vector<StoredBatch> own{}; ///< made for it alone, to be delivered before that entry: the newest of each key
    std::uint64_t missingFrom = 0;  ///< the subscription asked for this offset
    bool missing = false;           ///< and has to be told that it begins elsewhere
    bool idle = true;               ///< caught up: waiting in the partition for the next append
    std::size_t index = 0;          ///< in the partition's list of all cursors
    std::size_t idleIndex = 0;      ///< in its list of those that wait
};

}  // namespace gazellemq::hub
