#include "Frame.hpp"

#include <gtest/gtest.h>

namespace gazellemq::protocol {
namespace {

TEST(Frame, the_magic_collides_with_no_text_protocol_and_no_tls_record) { EXPECT_GE(kMagic[0], 0x80); }

TEST(Frame, its_header_is_length_type_and_zeros) {
    std::array<std::byte, kFrameHeaderBytes> header;
    header.fill(std::byte{0xAA});
    storeFrameHeader(header.data(), FrameType::ping, 0x01020304);
    EXPECT_EQ(load<std::uint32_t>(header.data()), 0x01020304U);
    EXPECT_EQ(load<std::uint8_t>(header.data() + 4), 33);
    EXPECT_EQ(load<std::uint8_t>(header.data() + 5), 0) << "flags";
    EXPECT_EQ(load<std::uint16_t>(header.data() + 6), 0) << "reserved";
}

TEST(Frame, a_data_header_counts_its_two_numbers_into_the_body) {
    std::array<std::byte, kDataHeaderBytes> header;
    storeDataHeader(header.data(), FrameType::deliver, 5, 6, 1000);
    EXPECT_EQ(load<std::uint32_t>(header.data()), 1008U);
    EXPECT_EQ(load<std::uint8_t>(header.data() + 4), 21);
    EXPECT_EQ(load<std::uint32_t>(header.data() + 8), 5U);
    EXPECT_EQ(load<std::uint32_t>(header.data() + 12), 6U);
}

}  // namespace
}  // namespace gazellemq::protocol
