#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ParentLink.hpp"
#include "Workload.hpp"

namespace gazellemq::perf {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Workload, messages, size, publishers, subscribers, topics)

/// What a child process is told at its start.
struct RoleSpec {
    Workload workload;
    std::uint64_t index = 0;  ///< which of the publishers or subscribers it is
    std::string hub;          ///< URL, for the roles that use the SDK
    std::uint16_t port = 0;   ///< of the relay, for the raw roles
    std::string topicPrefix;  ///< see topicName()
    std::uint64_t timeoutMs = 0;

    std::chrono::milliseconds timeout() const { return std::chrono::milliseconds{timeoutMs}; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RoleSpec, workload, index, hub, port, topicPrefix, timeoutMs)

/// What a child process does. The talk with the parent, in order (* = only in some roles):
///
///     child  ready ................ complete* ............ result
///     parent        go   published*            finish*
///
/// Then it stays until the parent ends the talk, so that an unexpected end is always a failure. Throws
/// Failure for what cannot go on; the parent is told.
using Role = void (*)(RoleSpec const&, ParentLink&);

namespace role {
inline constexpr std::string_view kPublisher = "publisher";           // SdkPublisher
inline constexpr std::string_view kSubscriber = "subscriber";         // SdkSubscriber
inline constexpr std::string_view kRawPublisher = "raw-publisher";    // RawPublisher
inline constexpr std::string_view kRawSubscriber = "raw-subscriber";  // RawSubscriber
inline constexpr std::string_view kRelay = "relay";                   // Relay
}  // namespace role

void runPublisher(RoleSpec const& spec, ParentLink& parent);
void runSubscriber(RoleSpec const& spec, ParentLink& parent);
void runRawPublisher(RoleSpec const& spec, ParentLink& parent);
void runRawSubscriber(RoleSpec const& spec, ParentLink& parent);
void runRelay(RoleSpec const& spec, ParentLink& parent);

/// Runs the role called `name` and returns the exit code of the process.
int playRole(std::string_view name, std::string const& spec);

}  // namespace gazellemq::perf
