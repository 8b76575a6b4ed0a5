#pragma once
#include <cstdint>

namespace gazellemq::hub {

/// What the broker did since it started. Plain integers of the core's thread.
struct Counters {
    std::uint64_t messagesIn = 0;
    std::uint64_t bytesIn = 0;        ///< batches with their headers
    std::uint64_t messagesOut = 0;
    std::uint64_t bytesOut = 0;
    std::uint64_t messagesDropped = 0;
    std::uint64_t batchesRefused = 0;  ///< of topics that had just been deleted
    std::uint64_t sessionsOpened = 0;
    std::uint64_t sessionsStalled = 0;
    std::uint64_t sessionsSilent = 0;
    std::uint64_t violations = 0;
};

/// And what passed through one topic.
struct TopicCounters {
    std::uint64_t messagesIn = 0;
    std::uint64_t bytesIn = 0;
    std::uint64_t messagesOut = 0;  ///< to each reader
    std::uint64_t bytesOut = 0;
    std::uint64_t messagesDropped = 0;  ///< for each reader that lost them
};

}  // namespace gazellemq::hub
