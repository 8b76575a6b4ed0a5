#pragma once
#include <optional>

#include "Crew.hpp"
#include "RunResult.hpp"

namespace gazellemq::perf {

/// Everybody in one run, connected and ready to go.
struct Parties {
    Crew::Members publishers;
    Crew::Members subscribers;
    std::optional<pid_t> middle;  ///< hub or relay, if it is ours
};

/// Starts the messages, waits until all have arrived, and collects what the processes measured.
RunResult measure(Crew& crew, Parties const& parties);

/// What a subscriber's "result" says.
Verdict verdictOf(nlohmann::json const& result);

}  // namespace gazellemq::perf
