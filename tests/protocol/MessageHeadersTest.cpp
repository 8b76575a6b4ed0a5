#include "MessageHeaders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

using test::Bytes;
using testing::ElementsAre;

MessageHeaders all() {
    MessageHeaders headers;
    headers.key = "customer-7";
    headers.ttlMs = 1500;
    headers.replyTo = "_inbox.1";
    headers.correlationId = "42";
    headers.contentType = "application/json";
    return headers;
}

Bytes encoded(MessageHeaders const& headers, std::vector<Header> const& user = {}) {
    Bytes bytes;
    EXPECT_TRUE(encodeHeaders(headers, user, bytes));
    return bytes;
}

std::vector<Header> userHeadersOf(MessageHeaders const& headers) {
    std::vector<Header> found;
    headers.forEachUserHeader([&](Header const& header) { found.push_back(header); });
    return found;
}

TEST(MessageHeaders, are_what_was_encoded) {
    auto const bytes = encoded(all(), {{"trace", "abc"}, {"trace", ""}, {"", "x"}});
    auto const headers = MessageHeaders::decode(bytes);
    ASSERT_TRUE(headers);
    EXPECT_EQ(headers->key, "customer-7");
    EXPECT_EQ(headers->ttlMs, 1500U);
    EXPECT_EQ(headers->replyTo, "_inbox.1");
    EXPECT_EQ(headers->correlationId, "42");
    EXPECT_EQ(headers->contentType, "application/json");
    EXPECT_THAT(userHeadersOf(*headers), ElementsAre(Header{"trace", "abc"}, Header{"trace", ""}, Header{"", "x"}));
    EXPECT_EQ(keyOf(bytes), "customer-7");
}

TEST(MessageHeaders, take_room_only_for_what_is_there) {
    EXPECT_EQ(encoded({}).size(), 1U);
    MessageHeaders keyed;
    keyed.key = "ab";
    EXPECT_EQ(encoded(keyed), test::toBytes(std::string{"\x01\x02\0ab", 5}));
    MessageHeaders brief;
    brief.ttlMs = 1;
    EXPECT_EQ(encoded(brief), test::toBytes(std::string{"\x02\x01\0\0\0", 5}));
    EXPECT_EQ(keyOf(encoded(brief)), "");
}

TEST(MessageHeaders, no_bytes_are_no_headers) {
    auto const headers = MessageHeaders::decode({});
    ASSERT_TRUE(headers);
    EXPECT_EQ(headers->key, "");
    EXPECT_EQ(headers->ttlMs, 0U);
    EXPECT_EQ(headers->userHeaderCount, 0);
    EXPECT_EQ(keyOf({}), "");
}

TEST(MessageHeaders, are_refused_when_any_number_of_bytes_is_missing) {
    auto const bytes = encoded(all(), {{"a", "b"}});
    for (std::size_t size = 1; size < bytes.size(); ++size) EXPECT_FALSE(MessageHeaders::decode(ByteView{bytes}.first(size))) << size;
    for (std::size_t size = 0; size < 13; ++size) EXPECT_EQ(keyOf(ByteView{bytes}.first(size)), "") << size;
}

TEST(MessageHeaders, may_have_fields_that_a_later_version_added) {
    auto bytes = encoded(all(), {{"a", "b"}});
    bytes[0] |= std::byte{0xC0};
    test::append(bytes, asBytes("more"));
    auto const headers = MessageHeaders::decode(bytes);
    ASSERT_TRUE(headers);
    EXPECT_EQ(headers->contentType, "application/json");
    EXPECT_THAT(userHeadersOf(*headers), ElementsAre(Header{"a", "b"}));
}

TEST(MessageHeaders, that_are_too_large_together_are_refused_and_leave_nothing_behind) {
    auto const fits = std::string(MessageHeaders::kMaxBytes - 3, 'k');
    auto const tooLong = fits + "k";
    auto const longer = std::string(100'000, 'k');
    Bytes bytes{std::byte{9}};
    MessageHeaders headers;
    headers.key = fits;
    EXPECT_EQ(encoded(headers).size(), MessageHeaders::kMaxBytes);
    for (auto const& key : {tooLong, longer}) {
        headers.key = key;
        EXPECT_FALSE(encodeHeaders(headers, {}, bytes));
    }
    std::vector<Header> const many(20'000, Header{"", ""});
    EXPECT_FALSE(encodeHeaders({}, many, bytes));
    EXPECT_EQ(bytes, Bytes{std::byte{9}});
}

// The numbers are a promise: publishers of other languages and of later versions have to agree on them.
TEST(PartitionOf, is_the_crc32c_of_the_key_modulo_the_partitions) {
    EXPECT_EQ(partitionOf("123456789", 8), 0xE3069283U % 8);
    EXPECT_EQ(partitionOf("123456789", 1000), 0xE3069283U % 1000);
    EXPECT_EQ(partitionOf("customer-7", 8), 1);
    EXPECT_EQ(partitionOf("anything", 1), 0);
}

TEST(PartitionOf, spreads_keys_of_usual_forms_evenly) {
    for (auto const partitions : std::initializer_list<std::uint16_t>{2, 3, 7, 8, 16, 100}) {
        for (std::string const prefix : {"", "user-", "order:2026-", "device/eu-west/"}) {
            constexpr std::size_t kEach = 1000;
            std::vector<std::size_t> counts(partitions);
            for (std::size_t i = 0; i < kEach * partitions; ++i) ++counts[partitionOf(prefix + std::to_string(i), partitions)];
            for (auto const count : counts) {
                EXPECT_GT(count, kEach / 2) << prefix << " " << partitions;
                EXPECT_LT(count, kEach * 2) << prefix << " " << partitions;
            }
        }
    }
}

}  // namespace
}  // namespace gazellemq::protocol
