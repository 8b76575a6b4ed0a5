#include "Bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

namespace gazellemq::protocol {
namespace {

TEST(Bytes, integers_stand_in_little_endian_order_at_any_address) {
    std::array<std::byte, 9> bytes{};
    store(bytes.data() + 1, std::uint32_t{0x04030201});
    EXPECT_EQ(bytes[1], std::byte{1});
    EXPECT_EQ(bytes[4], std::byte{4});
    EXPECT_EQ(load<std::uint32_t>(bytes.data() + 1), 0x04030201U);
    store(bytes.data() + 1, std::int64_t{-2});
    EXPECT_EQ(load<std::int64_t>(bytes.data() + 1), -2);
    EXPECT_EQ(bytes[0], std::byte{0});
}

TEST(Bytes, text_and_bytes_are_views_of_each_other) {
    std::string const text{"a\0b", 3};
    EXPECT_EQ(asText(asBytes(text)), text);
    EXPECT_EQ(asText({}), "");
    EXPECT_TRUE(asBytes("").empty());
}

TEST(ByteReader, reads_what_the_writer_wrote) {
    std::vector<std::byte> bytes;
    ByteWriter{bytes}
        .put(std::uint8_t{7})
        .putText("topic")
        .put(std::numeric_limits<std::uint64_t>::max())
        .putText("")
        .put(std::int32_t{-5});
    ByteReader reader{bytes};
    EXPECT_EQ(reader.get<std::uint8_t>(), 7);
    EXPECT_EQ(reader.getText(), "topic");
    EXPECT_EQ(reader.get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(reader.getText(), "");
    EXPECT_EQ(reader.get<std::int32_t>(), -5);
    EXPECT_TRUE(reader.ok());
}

TEST(ByteReader, bytes_left_over_are_legal) {
    std::vector<std::byte> bytes;
    ByteWriter{bytes}.put(std::uint16_t{1}).put(std::uint64_t{2});
    ByteReader reader{bytes};
    EXPECT_EQ(reader.get<std::uint16_t>(), 1);
    EXPECT_TRUE(reader.ok());
}

TEST(ByteReader, after_a_short_read_everything_is_empty) {
    std::vector<std::byte> bytes;
    ByteWriter{bytes}.put(std::uint16_t{0xFFFF}).put(std::uint8_t{3});
    ByteReader reader{bytes};
    EXPECT_EQ(reader.get<std::uint32_t>(), 0U) << "there are three bytes";
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.get<std::uint8_t>(), 0) << "although one would be there";
    EXPECT_EQ(reader.getText(), "");
    EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, a_text_longer_than_the_rest_is_a_short_read) {
    std::vector<std::byte> bytes;
    ByteWriter{bytes}.put(std::uint16_t{4});
    for (char const c : {'a', 'b', 'c'}) bytes.push_back(static_cast<std::byte>(c));
    ByteReader reader{bytes};
    EXPECT_EQ(reader.getText(), "");
    EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, an_empty_input_is_a_short_read) {
    ByteReader reader{{}};
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.get<std::uint8_t>(), 0);
    EXPECT_FALSE(reader.ok());
}

TEST(ByteWriter, cuts_a_text_that_its_length_field_cannot_hold) {
    std::vector<std::byte> bytes;
    ByteWriter{bytes}.putText(std::string(70'000, 'x')).put(std::uint8_t{9});
    ByteReader reader{bytes};
    EXPECT_EQ(reader.getText().size(), 0xFFFFU);
    EXPECT_EQ(reader.get<std::uint8_t>(), 9);
    EXPECT_TRUE(reader.ok());
}

}  // namespace
}  // namespace gazellemq::protocol
