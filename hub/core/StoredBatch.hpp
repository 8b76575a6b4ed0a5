#pragma once
#include <cstdint>

#include "Buffer.hpp"
#include "Bytes.hpp"

namespace gazellemq::hub {

/// A stamped batch and what has to be known of it without looking inside.
struct StoredBatch {
    protocol::BufferRef owner;
    protocol::ByteView bytes;
    std::uint32_t count = 0;
    std::uint32_t leastTtlMs = 0;  ///< of its messages; 0: none expires
    std::int64_t receivedMs = 0;   ///< steady clock

    bool mayHaveExpired(std::int64_t nowMs) const { return leastTtlMs > 0 && receivedMs + leastTtlMs <= nowMs; }
};

}  // namespace gazellemq::hub
