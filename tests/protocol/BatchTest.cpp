#include "Batch.hpp"

#include <gtest/gtest.h>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

using test::Bytes;
using test::makeBatch;
using test::payloadsOf;

std::vector<std::string> const kPayloads{"one", "", test::patternText(1000), std::string("\0x", 2)};

TEST(Batch, tells_what_the_publisher_sealed) {
    auto const batch = makeBatch(kPayloads, 42, 0x1122334455667788);
    auto const header = BatchHeader::decode(batch);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->count, 4U);
    EXPECT_EQ(header->bodyBytes, 4 * 4 + 3 + 1000 + 2);
    EXPECT_EQ(header->totalBytes(), batch.size());
    EXPECT_EQ(header->producerId, 0x1122334455667788U);
    EXPECT_EQ(header->firstSequence, 42U);
    EXPECT_EQ(header->flags, 0);
    EXPECT_EQ(header->baseOffset, 0U) << "the hub's part is zero until the hub writes it";
    EXPECT_TRUE(checksumFits(batch));
}

TEST(Batch, lies_in_memory_as_the_diagram_says) {
    auto batch = makeBatch({"ab"}, 0x0807060504030201, 0x1817161514131211);
    stampBatch(batch.data(), 0x2827262524232221, 0x3837363534333231);
    auto const expectInteger = [&](std::size_t at, std::size_t size, std::uint8_t first) {
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_EQ(static_cast<std::size_t>(batch[at + i]), first + i) << "byte " << at + i;
        }
    };
    expectInteger(0, 8, 0x21);                       // base offset
    expectInteger(8, 8, 0x31);                       // receive time
    expectInteger(40, 8, 0x11);                      // producer id
    expectInteger(48, 8, 0x01);                      // first sequence
    EXPECT_EQ(load<std::uint32_t>(&batch[16]), 0U);  // partition, attempts
    EXPECT_EQ(load<std::uint32_t>(&batch[28]), 6U);  // body bytes
    EXPECT_EQ(load<std::uint32_t>(&batch[32]), 1U);  // count
    EXPECT_EQ(load<std::uint32_t>(&batch[36]), 0U);  // flags, 0
    EXPECT_EQ(load<std::uint32_t>(&batch[56]), 2U);
    EXPECT_EQ(asText(ByteView{batch}.subspan(60)), "ab");
}

TEST(Batch, keeps_the_publishers_checksum_when_the_hub_stamps_it) {
    auto batch = makeBatch(kPayloads, 3);
    stampBatch(batch.data(), 1'000'000, 1'700'000'000'000'000'000);
    EXPECT_TRUE(checksumFits(batch));
    EXPECT_TRUE(hubChecksumFits(batch));
    auto const header = BatchHeader::decode(batch);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->baseOffset, 1'000'000U);
    EXPECT_EQ(header->receiveTimeNs, 1'700'000'000'000'000'000);
    EXPECT_EQ(header->firstSequence, 3U);
    EXPECT_EQ(payloadsOf(batch), kPayloads);
}

TEST(Batch, shows_damage_to_every_byte_by_one_of_its_checksums) {
    auto batch = makeBatch({"damage", "me"});
    stampBatch(batch.data(), 5, 6);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        batch[i] ^= std::byte{0x10};
        EXPECT_FALSE(checksumFits(batch) && hubChecksumFits(batch)) << "byte " << i;
        batch[i] ^= std::byte{0x10};
    }
}

TEST(Batch, of_one_empty_message_is_a_batch) {
    auto const batch = makeBatch({""});
    ASSERT_TRUE(BatchHeader::decode(batch));
    BatchReader reader{batch};
    auto const payload = reader.next();
    ASSERT_TRUE(payload);
    EXPECT_TRUE(payload->empty());
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.intact());
}

TEST(BatchHeader, refuses_every_truncation) {
    auto const batch = makeBatch(kPayloads);
    for (std::size_t size = 0; size < batch.size(); ++size) {
        ASSERT_FALSE(BatchHeader::decode(ByteView{batch}.first(size)))
            << size << " of " << batch.size() << " bytes";
    }
}

TEST(BatchHeader, leaves_what_follows_the_batch_to_the_caller) {
    auto bytes = makeBatch({"first"});
    auto const size = bytes.size();
    test::append(bytes, makeBatch({"second"}));
    auto const header = BatchHeader::decode(bytes);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->totalBytes(), size);
}

TEST(BatchHeader, refuses_a_batch_without_messages) {
    Bytes batch(BatchHeader::kBytes);
    sealBatch(batch.data(), 0, 0, 1, 1);
    EXPECT_FALSE(BatchHeader::decode(batch));
}

TEST(BatchHeader, refuses_a_flag_that_it_does_not_know) {
    for (int bit = 0; bit < 16; ++bit) {
        auto batch = makeBatch({"x"});
        store(&batch[36], static_cast<std::uint16_t>(1U << bit));
        EXPECT_FALSE(BatchHeader::decode(batch)) << "bit " << bit;
    }
}

TEST(BatchHeader, refuses_a_count_that_the_body_has_no_room_for) {
    auto batch = makeBatch({"", ""});
    store(&batch[32], std::uint32_t{3});
    EXPECT_FALSE(BatchHeader::decode(batch));
    store(&batch[32], std::uint32_t{0x40000001});  // times four wraps to 4 in 32 bits
    EXPECT_FALSE(BatchHeader::decode(batch));
}

TEST(BatchHeader, refuses_the_largest_body_length) {
    auto batch = makeBatch({"x"});
    store(&batch[28], std::uint32_t{0xFFFFFFFF});
    EXPECT_FALSE(BatchHeader::decode(batch));
}

TEST(BatchReader, gives_the_messages_in_order) {
    auto const batch = makeBatch(kPayloads);
    EXPECT_EQ(payloadsOf(batch), kPayloads);
    BatchReader reader{batch};
    EXPECT_FALSE(reader.intact()) << "before the walk nothing is known";
    while (reader.next()) continue;
    EXPECT_TRUE(reader.intact());
}

TEST(BatchReader, is_not_intact_when_the_count_is_too_small) {
    auto batch = makeBatch({"a", "b"});
    store(&batch[32], std::uint32_t{1});
    BatchReader reader{batch};
    while (reader.next()) continue;
    EXPECT_FALSE(reader.intact());
}

TEST(BatchReader, stays_inside_the_batch_whatever_the_lengths_say) {
    for (std::uint32_t const length : {3U, 6U, 7U, 8U, 0x7FFFFFFFU, 0xFFFFFFFCU, 0xFFFFFFFFU}) {
        auto batch = makeBatch({"a", "b"});
        store(&batch[56], length);
        auto const* const end = batch.data() + batch.size();
        BatchReader reader{batch};
        while (auto const payload = reader.next()) ASSERT_LE(payload->data() + payload->size(), end);
        EXPECT_FALSE(reader.intact()) << length;
    }
}

}  // namespace
}  // namespace gazellemq::protocol
