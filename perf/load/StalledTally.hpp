#pragma once
#include <cstdint>

namespace gazellemq::perf {

/// What became of the messages for subscribers that had read nothing for a whole run, when they went on: all
/// of them together. Pure.
struct StalledTally {
    std::uint64_t received = 0;     ///< messages that had waited for them
    std::uint64_t dropped = 0;      ///< messages that the hub says they lost
    std::uint64_t unaccounted = 0;  ///< published, but neither of these, though the link was not ended
    std::uint64_t cut = 0;          ///< subscribers whose link the hub had ended

    /// Takes note of one of them. `published`: what it should account for.
    void add(std::uint64_t published, std::uint64_t itsReceived, std::uint64_t itsDropped, bool isCut) {
        auto const told = itsReceived + itsDropped;
        received += itsReceived;
        dropped += itsDropped;
        cut += isCut ? 1 : 0;
        if (!isCut) unaccounted += published > told ? published - told : told - published;
    }

    StalledTally& operator+=(StalledTally const& other) {
        received += other.received;
        dropped += other.dropped;
        unaccounted += other.unaccounted;
        cut += other.cut;
        return *this;
    }
};

}  // namespace gazellemq::perf
