#pragma once
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "Bytes.hpp"
#include "Checksum.hpp"

namespace gazellemq::test {

/// A payload that tells loss, duplication, disorder and damage: publisher (4 bytes), sequence (8), CRC32C of the rest and of these
/// (4), then a body that depends on both.
inline std::string stamped(std::uint32_t publisher, std::uint64_t sequence, std::size_t bytes = 16) {
    std::string text(std::max<std::size_t>(bytes, 16), '\0');
    std::memcpy(text.data(), &publisher, 4);
    std::memcpy(text.data() + 4, &sequence, 8);
    for (std::size_t i = 16; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 + sequence * 7 + publisher);
    auto const crc = protocol::crc32c(protocol::asBytes(text));
    std::memcpy(text.data() + 12, &crc, 4);
    return text;
}

struct Stamp {
    std::uint32_t publisher = 0;
    std::uint64_t sequence = 0;

    static std::optional<Stamp> read(std::string_view payload) {
        if (payload.size() < 16) return std::nullopt;
        std::string text{payload};
        Stamp stamp;
        std::uint32_t crc = 0;
        std::memcpy(&stamp.publisher, text.data(), 4);
        std::memcpy(&stamp.sequence, text.data() + 4, 8);
        std::memcpy(&crc, text.data() + 12, 4);
        std::memset(text.data() + 12, 0, 4);
        if (protocol::crc32c(protocol::asBytes(text)) != crc) return std::nullopt;
        return stamp;
    }
};

/// Looks at stamped payloads in the order of arrival, of one topic.
struct StampCheck {
    std::uint64_t count = 0;
    std::uint64_t damaged = 0;
    std::uint64_t repeatedOrLate = 0;
    std::uint64_t skipped = 0;
    std::map<std::uint32_t, std::uint64_t> next;  // per publisher, from 0

    void take(std::string_view payload) {
        ++count;
        auto const stamp = Stamp::read(payload);
        if (!stamp) {
            ++damaged;
            return;
        }
        auto& expected = next[stamp->publisher];
        if (stamp->sequence < expected) {
            ++repeatedOrLate;
            return;
        }
        skipped += stamp->sequence - expected;
        expected = stamp->sequence + 1;
    }
    bool perfect() const { return damaged == 0 && repeatedOrLate == 0 && skipped == 0; }
};

}  // namespace gazellemq::test
