#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "Bytes.hpp"

namespace gazellemq::protocol {

/// The first 8 bytes that a client sends. The first byte is above 0x7F: no text protocol, HTTP verb or TLS record
/// starts with it.
///
///     E7 'G' 'a' 'z' 'M' 'Q' version 00
inline constexpr std::uint8_t kProtocolVersion = 1;
inline constexpr std::array<std::uint8_t, 8> kMagic{0xE7, 'G', 'a', 'z', 'M', 'Q', kProtocolVersion, 0};

/// Everything after the magic, in both directions, is frames:
///
///      0           4      5       6      8
///     +-----------+------+-------+------+----------------
///     | body bytes| type | flags | 0    | body
///     +-----------+------+-------+------+----------------
///
/// No flag is defined. An unknown frame type is a protocol violation: new types are only sent to a peer that
/// announced the capability.
inline constexpr std::size_t kFrameHeaderBytes = 8;

/// PUBLISH and DELIVER have 8 more bytes before their batches, so that a full batch fills a frame in both directions alike.
inline constexpr std::size_t kDataHeaderBytes = kFrameHeaderBytes + 8;

/// Frames with several batches stop at this size, headers included; a larger batch goes alone.
inline constexpr std::size_t kMaxJoinedFrameBytes = 32 * 1024;

enum class FrameType : std::uint8_t {
    // client to hub
    hello = 1,
    openTopic = 2,
    publish = 3,
    closeTopic = 4,
    flush = 5,
    subscribe = 6,
    unsubscribe = 7,
    credit = 8,
    adminRequest = 9,
    // hub to client
    welcome = 17,
    reply = 18,
    confirm = 19,
    topic = 20,
    deliver = 21,
    dropped = 22,
    topicGone = 23,
    notice = 24,
    adminReply = 25,
    gap = 26,
    // both
    ping = 33,
    pong = 34,
    drain = 35,
    drainAck = 36,
    goodbye = 37,
};

/// A whole frame inside a read buffer.
struct Frame {
    FrameType type{};
    ByteView body;
};

/// Writes a frame header at `at`.
inline void storeFrameHeader(std::byte* at, FrameType type, std::size_t bodyBytes) noexcept {
    store(at, static_cast<std::uint32_t>(bodyBytes));
    store(at + 4, static_cast<std::uint32_t>(type));  // type, flags 0, reserved 0
}

/// Writes the 16 bytes in front of the batches of a PUBLISH (handle, 0) or a DELIVER (subscription, handle).
inline void storeDataHeader(std::byte* at, FrameType type, std::uint32_t first, std::uint32_t second,
                            std::size_t batchBytes) noexcept {
    storeFrameHeader(at, type, 8 + batchBytes);
    store(at + 8, first);
    store(at + 12, second);
}

/// The partition of a PUBLISH frame: 0, or one more than its number.
inline void storePartition(std::byte* frame, std::uint32_t partition) noexcept { store(frame + 12, partition); }

}  // namespace gazellemq::protocol
