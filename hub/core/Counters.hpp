#pragma once
#include <cstdint>

namespace gazellemq::hub {

/// Messages that readers did not get, counted for each of them, by the reason. Plain integers of the core's thread.
struct Drops {
    std::uint64_t windowFull = 0;   ///< the reader was behind by the window
    std::uint64_t memoryShort = 0;  ///< or by less, when the hub's memory was short
    std::uint64_t purged = 0;
    std::uint64_t deleted = 0;      ///< with their topic
    std::uint64_t total() const { return windowFull + memoryShort + purged + deleted; }
};
using DropReason = std::uint64_t Drops::*;

/// What passed through one topic, or the whole hub.
struct TopicCounters {
    std::uint64_t messagesIn = 0;
    std::uint64_t bytesIn = 0;      ///< batches with their headers
    std::uint64_t messagesOut = 0;  ///< to each reader
    std::uint64_t bytesOut = 0;
    Drops dropped;                  ///< told to the reader
    std::uint64_t messagesExpired = 0;    ///< not delivered for their TTL, counted for each reader
    std::uint64_t messagesConflated = 0;  ///< not delivered because there was a newer one, the same
    std::uint64_t messagesUnheard = 0;    ///< that came when nobody had subscribed
};

/// What the broker did since it started.
struct Counters : TopicCounters {
    std::uint64_t batchesRefused = 0;  ///< of topics that had just been deleted
    std::uint64_t sessionsOpened = 0;
    std::uint64_t sessionsStalled = 0;
    std::uint64_t sessionsSilent = 0;
    std::uint64_t violations = 0;
};

}  // namespace gazellemq::hub
