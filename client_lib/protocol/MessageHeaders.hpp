#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "Bytes.hpp"
#include "gazellemq/Header.hpp"

namespace gazellemq::protocol {

/// What stands between the length of a message and its payload in a batch with kHeadersFlag:
///
///     +---------+-----+-----+----------+----------------+--------------+------------------------------------------+
///     | present | key | TTL | reply-to | correlation id | content type | count u16, as many times a name, a value |
///     +---------+-----+-----+----------+----------------+--------------+------------------------------------------+
///         u8     text   u32     text          text            text                      text, text
///
/// A bit of `present` for each field, the lowest for the key; fields that are not there take no room. No bytes at all: no header. What
/// stands behind the known fields belongs to later versions and is passed over.
struct MessageHeaders {
    static constexpr std::size_t kMaxBytes = 0xFFFF;

    std::string_view key;      ///< empty: none
    std::uint32_t ttlMs = 0;   ///< from when the hub received it; 0: it never expires
    std::string_view replyTo;
    std::string_view correlationId;
    std::string_view contentType;
    ByteView userHeaders;      ///< encoded, without their count
    std::uint16_t userHeaderCount = 0;

    /// Empty if the fields do not fit. Views point into `headers`.
    static std::optional<MessageHeaders> decode(ByteView headers) noexcept;
    /// Calls `found(Header)` for each; decode() has checked them.
    template <typename Found>
    void forEachUserHeader(Found&& found) const {
        ByteReader reader{userHeaders};
        for (std::uint16_t i = 0; i < userHeaderCount; ++i) {
            auto const name = reader.getText();
            found(Header{name, reader.getText()});
        }
    }
};

/// The key alone: empty if there is none, or if it does not fit.
inline std::string_view keyOf(ByteView headers) noexcept {
    constexpr std::size_t kBefore = 3;
    if (headers.size() < kBefore || (load<std::uint8_t>(headers.data()) & 1) == 0) return {};
    std::size_t const bytes = load<std::uint16_t>(headers.data() + 1);
    return headers.size() - kBefore < bytes ? std::string_view{} : asText(headers.subspan(kBefore, bytes));
}

/// Appends the encoded fields of `headers`, but for its userHeaders, and `user`. False, and nothing appended, if they take more than kMaxBytes.
bool encodeHeaders(MessageHeaders const& headers, std::span<Header const> user, std::vector<std::byte>& out);

/// The partition of a message with that key: CRC32C of the key modulo the number of partitions (PROTOCOL.md).
std::uint16_t partitionOf(std::string_view key, std::uint16_t partitions) noexcept;

}  // namespace gazellemq::protocol
