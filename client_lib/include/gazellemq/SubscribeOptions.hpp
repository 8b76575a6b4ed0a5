#pragma once
#include <cstdint>
#include <optional>

namespace gazellemq::client {

/// Where in what the hub still has of a topic a subscription begins. When it is made anew after a lost link it begins there once more:
/// all but `latest` may then repeat messages, which have the same offset.
struct Start {
    enum class Kind : std::uint8_t { latest, earliest, last, lastPerKey, offset };

    Kind kind = Kind::latest;
    std::uint64_t value = 0;

    /// With what is published from now on.
    static constexpr Start latest() { return {}; }
    /// With the oldest message in the topic's window.
    static constexpr Start earliest() { return {Kind::earliest, 0}; }
    /// With the last so many messages of each partition, as far as the window has them: last(1) is the value that holds.
    static constexpr Start last(std::uint64_t messages) { return {Kind::last, messages}; }
    /// With the newest message of each key in the window.
    static constexpr Start lastPerKey() { return {Kind::lastPerKey, 0}; }
    /// With that offset in each partition; what is not there any more is told to onGap.
    static constexpr Start offset(std::uint64_t offset) { return {Kind::offset, offset}; }
};

/// When a subscription falls behind by the topic's window.
enum class SlowConsumer : std::uint8_t {
    asTopic,     ///< what the topic's settings say
    block,       ///< publishers wait
    dropOldest,  ///< it loses the oldest messages
    disconnect,  ///< the connection is ended
    conflate     ///< while it is behind, only the newest message of each key is kept for it
};

/// What a subscription may ask for. The topic decides which policies for slow consumers may be chosen (policyNotAllowed).
struct SubscribeOptions {
    Start start = {};
    SlowConsumer slowConsumer = SlowConsumer::asTopic;
    std::optional<std::uint16_t> partition = {};  ///< only that one
    bool noEcho = false;                          ///< nothing that publishers of this process publish
};

}  // namespace gazellemq::client
