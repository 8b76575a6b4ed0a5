#pragma once
#include <chrono>
#include <string>

#include "Crew.hpp"
#include "HubProcess.hpp"
#include "SoakReport.hpp"

namespace gazellemq::perf {

/// The clients of a soak, all on one hub: steady pairs, whose messages are verified, with topics and exact
/// subscriptions of their own; slow subscribers; publishers and subscribers that are killed and started
/// again; processes that connect, use new topics and disconnect. Main thread. Every function throws Failure.
class SoakMix {
  public:
    /// Starts all of them. `hub`: the hub's process if it is ours, otherwise null.
    SoakMix(std::string const& url, HubProcess* hub, std::chrono::milliseconds timeout);

    /// Keeps them going for `time`, and kills one in turn every second.
    void run(std::chrono::milliseconds time);
    /// What the steady subscribers have received, as far as they have told.
    std::uint64_t messagesSoFar() const { return crew_.messagesSoFar(); }
    /// Stops all and returns when everything that was published has arrived, or does not come any more.
    SoakTally stop();

  private:
    struct Restless {
        std::string title;
        std::string_view role;
        RoleSpec spec;
        Crew::Member* member = nullptr;
    };

    RoleSpec specOf(std::string const& topicPrefix, std::uint64_t rate);
    void addSteadyPair(std::string const& name);
    void addRestless(std::string const& title, std::string_view role, RoleSpec const& spec);
    void startRestless(Restless& restless);

    std::string url_;
    std::string prefix_;
    std::uint64_t timeoutMs_;
    Crew crew_;
    Crew::Members publishers_;   // steady
    Crew::Members subscribers_;  // of publishers_, in the same order
    Crew::Members churners_;
    std::vector<Restless> restless_;
    std::size_t nextVictim_ = 0;
    SoakTally tally_;
};

}  // namespace gazellemq::perf
