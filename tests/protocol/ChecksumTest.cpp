#include "Checksum.hpp"

#include <gtest/gtest.h>

#include <string>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

/// CRC-32C bit by bit, as the definition has it.
std::uint32_t slowCrc32c(ByteView bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (auto const byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) ? 0x82F63B78U : 0U);
    }
    return ~crc;
}

TEST(Checksum, has_the_values_of_rfc_3720) {
    EXPECT_EQ(crc32c(asBytes("123456789")), 0xE3069283U);
    EXPECT_EQ(crc32c(asBytes(std::string(32, '\0'))), 0x8A9136AAU);
    EXPECT_EQ(crc32c(asBytes(std::string(32, '\xFF'))), 0x62A8AB43U);
    std::string up;
    for (char c = 0; c < 32; ++c) up.push_back(c);
    EXPECT_EQ(crc32c(asBytes(up)), 0x46DD794EU);
    std::string const down{up.rbegin(), up.rend()};
    EXPECT_EQ(crc32c(asBytes(down)), 0x113FDB5CU);
}

TEST(Checksum, of_nothing_is_zero) { EXPECT_EQ(crc32c({}), 0U); }

TEST(Checksum, is_the_definition_for_every_length_and_alignment) {
    auto const text = test::patternText(1100);
    auto const bytes = asBytes(text);
    for (std::size_t start = 0; start < 17; ++start) {
        for (std::size_t size = 0; size <= 1024; size += size < 70 ? 1 : 61) {
            auto const part = bytes.subspan(start, size);
            ASSERT_EQ(crc32c(part), slowCrc32c(part)) << "from " << start << ", " << size << " bytes";
        }
    }
}

TEST(Checksum, notices_every_single_bit) {
    auto text = test::patternText(64);
    auto const good = crc32c(asBytes(text));
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        auto const mask = static_cast<char>(1 << (bit % 8));
        text[bit / 8] ^= mask;
        EXPECT_NE(crc32c(asBytes(text)), good) << "bit " << bit;
        text[bit / 8] ^= mask;
    }
}

}  // namespace
}  // namespace gazellemq::protocol
