#pragma once
#include <string>

#include "gazellemq/hub/Server.hpp"

namespace gazellemq::hub {

/// What the log says at SIGUSR2: first what the hub holds now, then what it has done since it started. For people and for scripts:
/// words of the form name=number behind "statistics:".
inline std::string statisticsLine(ServerStats const& stats) {
    std::string line = "statistics:";
    auto const add = [&line](char const* name, std::uint64_t value) { line += ' ' + std::string{name} + '=' + std::to_string(value); };
    add("connections", stats.connections);
    add("subscriptions", stats.subscriptions);
    add("topics", stats.topics);
    add("buffer_bytes", stats.bufferBytes);
    add("messages_in", stats.messagesIn);
    add("messages_out", stats.messagesOut);
    add("messages_dropped", stats.messagesDropped);
    add("bytes_in", stats.bytesIn);
    add("bytes_out", stats.bytesOut);
    return line;
}

}  // namespace gazellemq::hub
