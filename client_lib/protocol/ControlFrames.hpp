#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "Bytes.hpp"
#include "Frame.hpp"
#include "gazellemq/Error.hpp"

/// Every frame but PUBLISH and DELIVER, as a struct whose fields are written in the order in which they stand: integers little-endian,
/// text as u16 length and bytes, ids as they are. PROTOCOL.md says when each is sent.
namespace gazellemq::protocol {

using Id = std::array<std::byte, 16>;

/// Text with a u32 length in front.
struct LongText {
    std::string_view text;
    bool operator==(LongText const&) const = default;
};

struct Hello {
    static constexpr auto kType = FrameType::hello;
    Id instanceId{};               ///< random, one per client object: its identity
    std::string_view clientName;   ///< a label for people
    std::string_view user;         ///< reserved for credentials; empty
    std::string_view password;     ///< reserved for credentials; empty
    std::uint32_t heartbeatMs = 0; ///< what the client would like
    std::uint64_t capabilities = 0;
    auto fields() { return std::tie(instanceId, clientName, user, password, heartbeatMs, capabilities); }
};

struct Welcome {
    static constexpr auto kType = FrameType::welcome;
    Id serverId{};                      ///< random, one per hub start
    std::string_view serverName;        ///< name and version
    std::uint32_t heartbeatMs = 0;      ///< the interval that holds for this connection
    std::uint32_t maxFrameBytes = 0;    ///< of any frame, header included
    std::uint32_t maxPayloadBytes = 0;  ///< of one message
    std::uint32_t maxTopicBytes = 0;
    std::uint32_t maxSubscriptions = 0; ///< on this connection
    std::uint32_t maxOpenTopics = 0;    ///< topics opened for publishing on this connection
    std::uint64_t capabilities = 0;
    std::uint32_t maxConnections = 0;
    std::uint32_t maxConnectionsPerAddress = 0;
    std::uint32_t maxTopics = 0;            ///< in the hub
    std::uint64_t maxUnconfirmedBytes = 0;  ///< credit that this connection has not used, over all its topics
    auto fields() {
        return std::tie(serverId, serverName, heartbeatMs, maxFrameBytes, maxPayloadBytes, maxTopicBytes, maxSubscriptions,
                        maxOpenTopics, capabilities, maxConnections, maxConnectionsPerAddress, maxTopics, maxUnconfirmedBytes);
    }
};

struct OpenTopic {
    static constexpr auto kType = FrameType::openTopic;
    std::uint32_t requestId = 0;
    std::uint32_t handle = 0;
    std::string_view name;
    auto fields() { return std::tie(requestId, handle, name); }
};

struct CloseTopic {
    static constexpr auto kType = FrameType::closeTopic;
    std::uint32_t handle = 0;
    auto fields() { return std::tie(handle); }
};

struct Flush {
    static constexpr auto kType = FrameType::flush;
    auto fields() { return std::tie(); }
};

/// Where in what a topic's window holds a subscription begins.
enum class StartKind : std::uint8_t {
    latest = 0,      ///< with what is published from now on
    earliest = 1,    ///< with the oldest message
    last = 2,        ///< with the last so many messages
    lastPerKey = 3,  ///< with the newest message of each key
    offset = 4       ///< with that offset
};

/// Producer ids of one process have the bits above these in common.
inline constexpr unsigned kObjectBits = 16;

struct Subscribe {
    static constexpr auto kType = FrameType::subscribe;
    std::uint32_t requestId = 0;
    std::uint32_t subscription = 0;
    std::uint64_t credit = 0;  ///< absolute: bytes of batches that may be delivered from the start
    std::string_view pattern;
    std::uint8_t policy = 0;       ///< for a slow consumer: 0 as the topic says, 1 block, 2 dropOldest, 3 disconnect, 4 conflate
    StartKind start = StartKind::latest;
    std::uint64_t startValue = 0;  ///< of `last`: messages; of `offset`: the offset
    std::uint16_t partition = 0;   ///< 0: all, otherwise one more than its number
    std::uint64_t notFrom = 0;     ///< batches of producers with the same upper 48 bits are not delivered; 0: all are
    auto fields() { return std::tie(requestId, subscription, credit, pattern, policy, start, startValue, partition, notFrom); }
};

struct Unsubscribe {
    static constexpr auto kType = FrameType::unsubscribe;
    std::uint32_t requestId = 0;
    std::uint32_t subscription = 0;
    auto fields() { return std::tie(requestId, subscription); }
};

struct Credit {
    static constexpr auto kType = FrameType::credit;
    std::uint32_t subscription = 0;
    std::uint64_t credit = 0;  ///< absolute, never less than before
    auto fields() { return std::tie(subscription, credit); }
};

struct Reply {
    static constexpr auto kType = FrameType::reply;
    std::uint32_t requestId = 0;
    Error code = Error::ok;
    std::string_view sentence;
    std::uint16_t partitions = 0;  ///< of the topic that was opened
    auto fields() { return std::tie(requestId, code, sentence, partitions); }
};

struct Confirm {
    static constexpr auto kType = FrameType::confirm;
    std::uint32_t handle = 0;
    std::uint64_t sequence = 0;  ///< everything up to it is accepted; 0 = nothing yet
    std::uint64_t credit = 0;    ///< absolute: bytes of batches that may be sent on this handle
    std::uint32_t subscriptions = 0;  ///< that the last batch went to
    std::uint64_t unheard = 0;        ///< absolute: messages on this handle that went to none
    auto fields() { return std::tie(handle, sequence, credit, subscriptions, unheard); }
};

/// Why a publisher has no credit when the reason is not its own topic, or that its topic was deleted (topicDeleted).
struct Notice {
    static constexpr auto kType = FrameType::notice;
    std::uint32_t handle = 0;
    Error code = Error::ok;
    std::string_view sentence;
    auto fields() { return std::tie(handle, code, sentence); }
};

/// An operation of an administrator, see "Administration" in PROTOCOL.md.
struct AdminRequest {
    static constexpr auto kType = FrameType::adminRequest;
    std::uint32_t requestId = 0;
    std::string_view operation;  ///< such as "topic.create"
    std::string_view arguments;  ///< a JSON object
    auto fields() { return std::tie(requestId, operation, arguments); }
};

struct AdminReply {
    static constexpr auto kType = FrameType::adminReply;
    std::uint32_t requestId = 0;
    Error code = Error::ok;
    std::string_view sentence;  ///< what was wrong and how to put it right; empty without an error
    LongText result;            ///< a JSON object
    auto fields() { return std::tie(requestId, code, sentence, result); }
};

struct TopicNamed {
    static constexpr auto kType = FrameType::topic;
    std::uint32_t subscription = 0;
    std::uint32_t handle = 0;
    std::string_view name;
    auto fields() { return std::tie(subscription, handle, name); }
};

struct Dropped {
    static constexpr auto kType = FrameType::dropped;
    std::uint32_t subscription = 0;
    std::uint32_t handle = 0;
    std::uint64_t count = 0;  ///< messages, since the last DROPPED for this pair
    auto fields() { return std::tie(subscription, handle, count); }
};

/// A subscription began where there is nothing any more: the messages in between are missing.
struct Gap {
    static constexpr auto kType = FrameType::gap;
    std::uint32_t subscription = 0;
    std::uint32_t handle = 0;
    std::uint16_t partition = 0;
    std::uint64_t firstMissing = 0;    ///< the offset that was asked for
    std::uint64_t firstAvailable = 0;  ///< the offset of what is delivered next
    auto fields() { return std::tie(subscription, handle, partition, firstMissing, firstAvailable); }
};

struct TopicGone {
    static constexpr auto kType = FrameType::topicGone;
    std::uint32_t subscription = 0;
    std::uint32_t handle = 0;
    Error code = Error::ok;  ///< ok: nobody used it
    auto fields() { return std::tie(subscription, handle, code); }
};

struct Ping {
    static constexpr auto kType = FrameType::ping;
    std::uint64_t token = 0;
    auto fields() { return std::tie(token); }
};

struct Pong {
    static constexpr auto kType = FrameType::pong;
    std::uint64_t token = 0;
    auto fields() { return std::tie(token); }
};

struct Drain {
    static constexpr auto kType = FrameType::drain;
    auto fields() { return std::tie(); }
};

struct DrainAck {
    static constexpr auto kType = FrameType::drainAck;
    auto fields() { return std::tie(); }
};

/// The last frame of a side. A code other than ok or goingAway says what the peer did wrong.
struct Goodbye {
    static constexpr auto kType = FrameType::goodbye;
    Error code = Error::ok;
    std::string_view reason;
    auto fields() { return std::tie(code, reason); }
};

namespace detail {

inline void putField(ByteWriter& out, std::string_view text) { out.putText(text); }
inline void putField(ByteWriter& out, LongText text) { out.putLongText(text.text); }
inline void putField(ByteWriter& out, Error code) { out.put(static_cast<std::uint16_t>(code)); }
inline void putField(ByteWriter& out, StartKind kind) { out.put(static_cast<std::uint8_t>(kind)); }
inline void putField(ByteWriter& out, Id const& id) {
    for (auto const byte : id) out.put(static_cast<std::uint8_t>(byte));
}
template <typename T>
    requires std::is_integral_v<T>
void putField(ByteWriter& out, T value) {
    out.put(value);
}

inline void getField(ByteReader& in, std::string_view& text) { text = in.getText(); }
inline void getField(ByteReader& in, LongText& text) { text.text = in.getLongText(); }
inline void getField(ByteReader& in, Error& code) { code = static_cast<Error>(in.get<std::uint16_t>()); }
inline void getField(ByteReader& in, StartKind& kind) { kind = static_cast<StartKind>(in.get<std::uint8_t>()); }
inline void getField(ByteReader& in, Id& id) {
    for (auto& byte : id) byte = static_cast<std::byte>(in.get<std::uint8_t>());
}
template <typename T>
    requires std::is_integral_v<T>
void getField(ByteReader& in, T& value) {
    value = in.get<T>();
}

}  // namespace detail

/// Appends `frame` with its frame header to `out`.
template <typename F>
void encode(F frame, std::vector<std::byte>& out) {
    auto const start = out.size();
    out.resize(start + kFrameHeaderBytes);
    ByteWriter writer{out};
    std::apply([&](auto const&... field) { (detail::putField(writer, field), ...); }, frame.fields());
    storeFrameHeader(out.data() + start, F::kType, out.size() - start - kFrameHeaderBytes);
}

/// Reads the body of a frame of type F. Empty if it is too short; texts point into `body`.
template <typename F>
std::optional<F> decode(ByteView body) {
    F frame;
    ByteReader reader{body};
    std::apply([&](auto&... field) { (detail::getField(reader, field), ...); }, frame.fields());
    if (!reader.ok()) return std::nullopt;
    return frame;
}

}  // namespace gazellemq::protocol
