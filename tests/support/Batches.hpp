#pragma once
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "Batch.hpp"
#include "Bytes.hpp"
#include "ControlFrames.hpp"
#include "Frame.hpp"
#include "MessageHeaders.hpp"

/// What tests write and read: batches and frames as plain byte vectors.
namespace gazellemq::test {

using Bytes = std::vector<std::byte>;

inline Bytes toBytes(std::string_view text) {
    auto const bytes = protocol::asBytes(text);
    return {bytes.begin(), bytes.end()};
}

inline void append(Bytes& to, protocol::ByteView bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

/// A batch of these payloads as a publisher seals it.
inline Bytes makeBatch(std::vector<std::string> const& payloads, std::uint64_t firstSequence = 1,
                       std::uint64_t producerId = 7) {
    Bytes batch(protocol::BatchHeader::kBytes);
    protocol::ByteWriter body{batch};
    for (auto const& payload : payloads) {
        body.put(static_cast<std::uint32_t>(payload.size()));
        append(batch, protocol::asBytes(payload));
    }
    protocol::sealBatch(batch.data(),
                        static_cast<std::uint32_t>(batch.size() - protocol::BatchHeader::kBytes),
                        static_cast<std::uint32_t>(payloads.size()), producerId, firstSequence);
    return batch;
}

/// A message with headers.
struct Headed {
    std::string payload;
    protocol::MessageHeaders headers = {};
    std::vector<Header> user = {};
};

/// A batch of messages with headers, and the flags that go with them.
inline Bytes makeHeadedBatch(std::vector<Headed> const& messages, std::uint64_t firstSequence = 1, std::uint64_t producerId = 7) {
    using protocol::BatchHeader;
    Bytes batch(BatchHeader::kBytes);
    auto flags = BatchHeader::kHeadersFlag;
    for (auto const& message : messages) {
        Bytes headers;
        protocol::encodeHeaders(message.headers, message.user, headers);
        protocol::ByteWriter{batch}.put(static_cast<std::uint32_t>(2 + headers.size() + message.payload.size())).put(static_cast<std::uint16_t>(headers.size()));
        append(batch, headers);
        append(batch, protocol::asBytes(message.payload));
        if (!message.headers.key.empty()) flags = static_cast<std::uint16_t>(flags | BatchHeader::kKeysFlag);
        if (message.headers.ttlMs > 0) flags = static_cast<std::uint16_t>(flags | BatchHeader::kTtlFlag);
    }
    protocol::sealBatch(batch.data(), static_cast<std::uint32_t>(batch.size() - BatchHeader::kBytes), static_cast<std::uint32_t>(messages.size()), producerId,
                        firstSequence, flags);
    return batch;
}

/// What one message of a batch costs beside its payload, when it is alone.
inline constexpr std::size_t kLoneOverhead =
    protocol::BatchHeader::kBytes + protocol::BatchHeader::kLengthBytes;

inline std::vector<std::string> payloadsOf(protocol::ByteView batch) {
    std::vector<std::string> payloads;
    for (protocol::BatchReader reader{batch}; auto payload = reader.next();) {
        payloads.emplace_back(protocol::asText(*payload));
    }
    return payloads;
}

/// A frame with its header.
inline Bytes makeFrame(protocol::FrameType type, protocol::ByteView body) {
    Bytes frame(protocol::kFrameHeaderBytes);
    protocol::storeFrameHeader(frame.data(), type, body.size());
    append(frame, body);
    return frame;
}

template <typename F>
Bytes encoded(F const& frame) {
    Bytes bytes;
    protocol::encode(frame, bytes);
    return bytes;
}

inline Bytes publishFrame(std::uint32_t handle, protocol::ByteView batches, std::uint32_t partition = 0) {
    Bytes frame(protocol::kDataHeaderBytes);
    protocol::storeDataHeader(frame.data(), protocol::FrameType::publish, handle, partition, batches.size());
    append(frame, batches);
    return frame;
}

/// `size` bytes that differ from place to place.
inline std::string patternText(std::size_t size, std::size_t seed = 0) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        text[i] = static_cast<char>((i * 131 + seed * 17 + (i >> 8)) & 0xFF);
    return text;
}

using Random = std::mt19937_64;

/// A number in [low, high].
inline std::size_t pick(Random& random, std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>{low, high}(random);
}

}  // namespace gazellemq::test
