#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gazellemq::hub {

/// What happens to a subscription that falls behind by its topic's window.
enum class SlowPolicy : std::uint8_t {
    block,       ///< the topic's publishers are slowed; taking nothing for stallLimit ends the connection
    dropOldest,  ///< it loses the oldest messages and is told how many
    disconnect,  ///< its connection is ended
    conflate     ///< whenever it is behind it gets only the newest message of each key
};

/// As written above, in options, files and JSON.
constexpr std::string_view nameOf(SlowPolicy policy) {
    switch (policy) {
        case SlowPolicy::block: return "block";
        case SlowPolicy::dropOldest: return "dropOldest";
        case SlowPolicy::disconnect: return "disconnect";
        case SlowPolicy::conflate: return "conflate";
    }
    return "";
}

/// Bounds of what peers can make the hub hold or wait for. Each is an option of gazelle-hub of the same name.
struct Limits {
    std::size_t windowBytes = 8 * 1024 * 1024;        ///< batches kept per topic for readers that are behind
    std::size_t retainBytes = 64 * 1024;              ///< of these, kept for readers to come; the last batch in any case, unless it is 0
    std::size_t maxMemory = std::size_t{1} << 30;     ///< all buffers together; from 7/8 on no publisher gets new credit
    std::size_t maxPayloadBytes = 8 * 1024 * 1024;    ///< one message
    std::size_t maxConnections = 100'000;
    std::size_t maxConnectionsPerAddress = 100'000;   ///< of one IP address, or of one user over Unix sockets
    std::size_t maxTopicBytes = 255;                  ///< of a topic's name or a pattern; the protocol allows no more than 255
    std::size_t maxTopics = 1'000'000;
    std::size_t maxPartitions = 256;                  ///< of one topic; at most 65,535
    std::size_t maxSubscriptions = 100'000;           ///< per connection
    std::size_t maxOpenTopics = 100'000;              ///< topics opened for publishing, per connection
    std::size_t maxUnconfirmedBytes = 256 * 1024 * 1024;  ///< credit that a connection has not used, over all its topics
    std::size_t maxControlBytes = 4 * 1024 * 1024;    ///< replies and the like waiting for a connection that does not read
    bool autoCreate = true;                            ///< topics are made by their first use
    SlowPolicy slowConsumer = SlowPolicy::block;       ///< of subscriptions to a topic by its name
    SlowPolicy slowWildcard = SlowPolicy::dropOldest;  ///< of subscriptions by wildcard; not block: they would slow topics they do not know of
    std::chrono::milliseconds heartbeat{5000};
    std::chrono::milliseconds handshakeTimeout{5000}; ///< from accept to HELLO
    std::chrono::milliseconds stallLimit{10000};
    std::chrono::milliseconds idleTopicTtl{3'600'000};

    /// The largest frame: one message alone in its batch, and some room for headers.
    std::size_t maxFrameBytes() const { return std::max<std::size_t>(maxPayloadBytes, 1024 * 1024) + 1024; }
};

}  // namespace gazellemq::hub
