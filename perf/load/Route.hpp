#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace gazellemq::perf {

/// What carries the bytes between the processes of a run. Both stay on this machine.
enum class Transport : std::uint8_t { tcp, unixSocket };

/// The way that the messages of a run take.
struct Route {
    Transport transport = Transport::tcp;  ///< of the relay, and of a hub that we start
    std::string hub;                       ///< URL of a hub that runs already; empty: each run starts its own
    std::chrono::milliseconds timeout{60'000};  ///< give up when nothing has moved for so long
};

}  // namespace gazellemq::perf
