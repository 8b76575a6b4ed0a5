#include "Filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "Headed.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::Bytes;
using test::brief;
using test::Headed;
using test::keyed;
using test::makeHeadedBatch;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FilterTest : public testing::Test {
  protected:
    StoredBatch stored(Bytes batch, std::uint64_t baseOffset = 100, std::uint16_t partition = 3) {
        stampBatch(batch.data(), baseOffset, 55, partition);
        auto const owner = pool->take(batch.size());
        std::copy(batch.begin(), batch.end(), owner->data());
        return {owner, {owner->data(), batch.size()}, BatchHeader::decode(batch)->count, 0, 1000};
    }
    /// "offset:payload" of every message; each batch must be one that a receiver takes.
    static std::vector<std::string> contents(std::vector<StoredBatch> const& batches) {
        std::vector<std::string> all;
        for (auto const& batch : batches) {
            auto const header = BatchHeader::decode(batch.bytes).value();
            EXPECT_EQ(header.totalBytes(), batch.bytes.size());
            EXPECT_EQ(header.count, batch.count);
            EXPECT_EQ(header.receiveTimeNs, 55);
            EXPECT_EQ(header.partition, 3);
            EXPECT_EQ(header.firstSequence - 1, header.baseOffset - 100) << "sequences go with the offsets";
            EXPECT_TRUE(checksumFits(batch.bytes));
            EXPECT_TRUE(hubChecksumFits(batch.bytes));
            auto offset = header.baseOffset;
            BatchReader reader{batch.bytes};
            while (auto const payload = reader.next()) all.push_back(std::to_string(offset++) + ":" + std::string{asText(*payload)});
            EXPECT_TRUE(reader.intact());
        }
        return all;
    }

    std::shared_ptr<BufferPool> pool = BufferPool::create(1024, 0);
    std::vector<StoredBatch> out;
};

TEST_F(FilterTest, leaves_out_what_has_expired_and_keeps_offsets) {
    auto const batch = stored(test::makeHeadedBatch({brief("a", 10), brief("b", 0), brief("c", 500), brief("d", 10), brief("e", 20)}));
    EXPECT_EQ(leastTtlMs(batch.bytes), 10U);
    EXPECT_EQ(withoutExpired(batch, 1009, *pool, out), 0U);
    EXPECT_THAT(out, SizeIs(1));
    out.clear();
    EXPECT_EQ(withoutExpired(batch, 1010, *pool, out), 2U);
    EXPECT_THAT(contents(out), ElementsAre("101:b", "102:c", "104:e"));
    EXPECT_THAT(out, SizeIs(2)) << "neighbours stay together";
    out.clear();
    EXPECT_EQ(withoutExpired(batch, 1'000'000, *pool, out), 4U);
    EXPECT_THAT(contents(out), ElementsAre("101:b"));
}

TEST_F(FilterTest, of_a_batch_that_has_expired_as_a_whole_nothing_is_left) {
    EXPECT_EQ(withoutExpired(stored(test::makeHeadedBatch({brief("a", 1), brief("b", 2)})), 2000, *pool, out), 2U);
    EXPECT_THAT(out, IsEmpty());
}

TEST_F(FilterTest, begins_at_a_place) {
    auto const batch = stored(test::makeBatch({"a", "b", "c"}));
    fromPlace(batch, 2, *pool, out);
    EXPECT_THAT(contents(out), ElementsAre("102:c"));
}

TEST_F(FilterTest, takes_the_newest_of_each_key_in_order) {
    std::vector const batches{stored(test::makeHeadedBatch({keyed("a1", "a"), keyed("b1", "b"), keyed("a2", "a")})),
                              stored(test::makeHeadedBatch({keyed("c1", "c"), Headed{"x"}, keyed("a3", "a"), Headed{"y"}}, 4), 103),
                              stored(test::makeBatch({"z"}, 8), 107)};
    EXPECT_EQ(newestPerKey(batches, *pool, out), 4U);
    EXPECT_THAT(contents(out), ElementsAre("101:b1", "103:c1", "105:a3", "107:z")) << "those without a key count as of one key";
}

TEST_F(FilterTest, a_damaged_batch_stays_as_it_is) {
    auto batch = stored(test::makeHeadedBatch({brief("a", 1), brief("b", 2)}));
    const_cast<std::byte*>(batch.bytes.data())[batch.bytes.size() - 1] ^= std::byte{1};
    EXPECT_EQ(withoutExpired(batch, 2000, *pool, out), 0U);
    ASSERT_THAT(out, SizeIs(1));
    EXPECT_EQ(out[0].bytes.data(), batch.bytes.data()) << "nothing is sealed anew that was not whole";
    EXPECT_THAT(splitByKey(batch.bytes, 4, 0), IsEmpty());
}

TEST_F(FilterTest, headers_that_do_not_fit_are_found) {
    auto batch = test::makeHeadedBatch({brief("abc", 1)});
    EXPECT_EQ(leastTtlMs(batch), 1U);
    store(batch.data() + BatchHeader::kBytes + 4, std::uint16_t{2});
    EXPECT_EQ(leastTtlMs(batch), std::nullopt);
}

TEST_F(FilterTest, splits_by_key_and_keeps_the_order_in_each_partition) {
    std::vector<std::string> const keys{"", "customer-1", "customer-2", "customer-3", "customer-4", "customer-5"};
    std::vector<Headed> messages;
    for (std::size_t i = 0; i < 100; ++i) messages.push_back(keyed(std::to_string(i), keys[i % keys.size()]));
    auto const batch = test::makeHeadedBatch(messages);
    std::size_t seen = 0;
    for (auto const& part : splitByKey(batch, 4, 2)) {
        EXPECT_TRUE(checksumFits(part.bytes));
        auto const header = BatchHeader::decode(part.bytes).value();
        EXPECT_EQ(header.count, part.count);
        EXPECT_TRUE(header.hasKeys());
        auto last = -1;
        for (BatchReader reader{part.bytes}; auto const payload = reader.next(); ++seen) {
            auto const number = std::stoi(std::string{asText(*payload)});
            if (last < 0) {
                EXPECT_EQ(header.firstSequence, static_cast<std::uint64_t>(number) + 1);
            }
            EXPECT_GT(number, last);
            last = number;
            auto const key = keyOf(reader.headers());
            EXPECT_EQ(part.partition, key.empty() ? 2 : partitionOf(key, 4));
        }
    }
    EXPECT_EQ(seen, 100U);
}

}  // namespace
}  // namespace gazellemq::hub
