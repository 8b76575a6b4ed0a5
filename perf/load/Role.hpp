#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ParentLink.hpp"
#include "Workload.hpp"

namespace gazellemq::perf {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Workload, messages, size, publishers, subscribers, topics, rate, stalled,
                                   stalledAreCut)

/// What a child process is told at its start.
struct RoleSpec {
    Workload workload;
    std::uint64_t index = 0;  ///< which of the publishers or subscribers it is
    std::string hub;          ///< URL, for the roles that use the SDK
    std::string relay;        ///< where the relay listens, for it and the raw roles; see RawSocket
    std::string relayBack;    ///< the same of the relay on the way back, if there is one
    std::string topicPrefix;  ///< see topicName()
    std::uint64_t timeoutMs = 0;

    std::chrono::milliseconds timeout() const { return std::chrono::milliseconds{timeoutMs}; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RoleSpec, workload, index, hub, relay, relayBack, topicPrefix, timeoutMs)

/// What a child process does. The talk with the parent, in order (* = only in some roles):
///
///     child  ready ................ complete* ............ result
///     parent        go   published*            finish*
///
/// Some work until they are told "stop".
/// Then it stays until the parent ends the talk, so that an unexpected end is always a failure. Throws
/// Failure for what cannot go on; the parent is told.
using Role = void (*)(RoleSpec const&, ParentLink&);

namespace role {
inline constexpr std::string_view kPublisher = "publisher";           // SdkPublisher
inline constexpr std::string_view kSubscriber = "subscriber";         // SdkSubscriber
inline constexpr std::string_view kRawPublisher = "raw-publisher";    // RawPublisher
inline constexpr std::string_view kRawSubscriber = "raw-subscriber";  // RawSubscriber
inline constexpr std::string_view kRelay = "relay";                   // Relay
inline constexpr std::string_view kTimedPublisher = "timed-publisher";
inline constexpr std::string_view kTimedSubscriber = "timed-subscriber";
inline constexpr std::string_view kRawTimedPublisher = "raw-timed-publisher";
inline constexpr std::string_view kRawTimedSubscriber = "raw-timed-subscriber";
inline constexpr std::string_view kPinger = "pinger";
inline constexpr std::string_view kPonger = "ponger";
inline constexpr std::string_view kRawPinger = "raw-pinger";
inline constexpr std::string_view kRawPonger = "raw-ponger";
inline constexpr std::string_view kSteadyPublisher = "steady-publisher";
inline constexpr std::string_view kSlowSubscriber = "slow-subscriber";
inline constexpr std::string_view kChurner = "churner";
inline constexpr std::string_view kIdleClients = "idle-clients";
inline constexpr std::string_view kReconnectingClients = "reconnecting-clients";
inline constexpr std::string_view kStalledSubscribers = "stalled-subscribers";
}  // namespace role

void runPublisher(RoleSpec const& spec, ParentLink& parent);
void runSubscriber(RoleSpec const& spec, ParentLink& parent);
void runRawPublisher(RoleSpec const& spec, ParentLink& parent);
void runRawSubscriber(RoleSpec const& spec, ParentLink& parent);
void runRelay(RoleSpec const& spec, ParentLink& parent);
void runTimedPublisher(RoleSpec const& spec, ParentLink& parent);
void runTimedSubscriber(RoleSpec const& spec, ParentLink& parent);
void runRawTimedPublisher(RoleSpec const& spec, ParentLink& parent);
void runRawTimedSubscriber(RoleSpec const& spec, ParentLink& parent);
void runPinger(RoleSpec const& spec, ParentLink& parent);
void runPonger(RoleSpec const& spec, ParentLink& parent);
void runRawPinger(RoleSpec const& spec, ParentLink& parent);
void runRawPonger(RoleSpec const& spec, ParentLink& parent);
void runSteadyPublisher(RoleSpec const& spec, ParentLink& parent);
void runSlowSubscriber(RoleSpec const& spec, ParentLink& parent);
void runChurner(RoleSpec const& spec, ParentLink& parent);
void runIdleClients(RoleSpec const& spec, ParentLink& parent);
void runReconnectingClients(RoleSpec const& spec, ParentLink& parent);
void runStalledSubscribers(RoleSpec const& spec, ParentLink& parent);

/// Runs the role called `name` and returns the exit code of the process.
int playRole(std::string_view name, std::string const& spec);

}  // namespace gazellemq::perf
