#include "MessageHeaders.hpp"

#include "Checksum.hpp"

namespace gazellemq::protocol {
namespace {

enum Present : std::uint8_t { kKey = 1, kTtl = 2, kReplyTo = 4, kCorrelationId = 8, kContentType = 16, kUserHeaders = 32 };

}  // namespace

std::optional<MessageHeaders> MessageHeaders::decode(ByteView bytes) noexcept {
    MessageHeaders headers;
    if (bytes.empty()) return headers;
    ByteReader reader{bytes};
    auto const present = reader.get<std::uint8_t>();
    if (present & kKey) headers.key = reader.getText();
    if (present & kTtl) headers.ttlMs = reader.get<std::uint32_t>();
    if (present & kReplyTo) headers.replyTo = reader.getText();
    if (present & kCorrelationId) headers.correlationId = reader.getText();
    if (present & kContentType) headers.contentType = reader.getText();
    if (present & kUserHeaders) {
        headers.userHeaderCount = reader.get<std::uint16_t>();
        auto const begin = reader.position();
        for (std::uint16_t i = 0; i < headers.userHeaderCount && reader.ok(); ++i) {
            reader.getText();
            reader.getText();
        }
        headers.userHeaders = bytes.subspan(begin, reader.position() - begin);
    }
    if (!reader.ok()) return std::nullopt;
    return headers;
}

bool encodeHeaders(MessageHeaders const& headers, std::span<Header const> user, std::vector<std::byte>& out) {
    auto const start = out.size();
    std::uint8_t present = 0;
    // Longer texts would be cut: too much is found out at the end all the same.
    std::size_t bytes = sizeof present;
    ByteWriter writer{out};
    writer.put(present);
    auto const put = [&](Present bit, std::string_view text) {
        if (text.empty()) return;
        present = static_cast<std::uint8_t>(present | bit);
        bytes += sizeof(std::uint16_t) + text.size();
        writer.putText(text);
    };
    put(kKey, headers.key);
    if (headers.ttlMs > 0) {
        present |= kTtl;
        bytes += sizeof headers.ttlMs;
        writer.put(headers.ttlMs);
    }
    put(kReplyTo, headers.replyTo);
    put(kCorrelationId, headers.correlationId);
    put(kContentType, headers.contentType);
    if (!user.empty()) {
        present |= kUserHeaders;
        bytes += sizeof(std::uint16_t);
        writer.put(static_cast<std::uint16_t>(user.size()));
        for (auto const& header : user) {
            bytes += 2 * sizeof(std::uint16_t) + header.name.size() + header.value.size();
            writer.putText(header.name).putText(header.value);
        }
    }
    if (bytes > MessageHeaders::kMaxBytes) {
        out.resize(start);
        return false;
    }
    store(out.data() + start, present);
    return true;
}

std::uint16_t partitionOf(std::string_view key, std::uint16_t partitions) noexcept {
    return static_cast<std::uint16_t>(crc32c(asBytes(key)) % partitions);
}

}  // namespace gazellemq::protocol
