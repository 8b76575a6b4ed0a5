#pragma once
#include <cstdint>

namespace gazellemq::hub {

/// The time, read once per event by the shell and handed to the core.
struct Now {
    std::int64_t wallNs = 0;    ///< since the Unix epoch; stamped on batches
    std::int64_t steadyMs = 0;  ///< never jumps; for intervals
};

}  // namespace gazellemq::hub
