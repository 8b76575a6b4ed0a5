#pragma once
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "HubHoldings.hpp"
#include "Verifier.hpp"

namespace gazellemq::perf {

/// What a hub holds while nobody uses it.
struct HubState {
    std::uint64_t residentBytes = 0;  ///< VmRSS
    std::uint64_t descriptors = 0;    ///< open ones
    HubHoldings holdings{};           ///< by its own counters; zeros for a hub whose log we do not have

    bool operator==(HubState const&) const = default;
};

/// What the clients of a soak did and saw.
struct SoakTally {
    std::uint64_t messages = 0;  ///< published by the steady publishers
    std::uint64_t killed = 0;    ///< clients that were killed and started again
    std::uint64_t rounds = 0;    ///< of new links and new topics
    Verdict verdict;             ///< of the steady subscribers
};

struct SoakResult {
    double minutes = 0;
    HubState base;  ///< after the warm-up
    HubState end;
    std::uint64_t peakBytes = 0;
    SoakTally tally;
};

/// The memory at the end may be larger by this: 16 MB, two windows of a topic, and a tenth of the base. What
/// clients needed is freed, but the allocator keeps pages, and how many depends on how far the slow ones were
/// behind. A hub that keeps something of each client or topic exceeds it after some thousand of them.
std::uint64_t residentLimit(HubState const& base);

nlohmann::ordered_json toJson(SoakResult const& result);
std::string toText(SoakResult const& result);
/// What is wrong, as sentences; empty if nothing was lost and the hub came back to its base.
std::string complaint(SoakResult const& result);

}  // namespace gazellemq::perf
