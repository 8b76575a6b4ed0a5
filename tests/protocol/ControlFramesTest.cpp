#include "ControlFrames.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

using test::Bytes;

constexpr auto kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto kMax64 = std::numeric_limits<std::uint64_t>::max();

Id makeId(std::uint8_t first) {
    Id id;
    for (auto& byte : id) byte = static_cast<std::byte>(first++);
    return id;
}

/// One of each type, with no field at its default, and its number on the wire.
template <typename F>
struct Sample;

#define SAMPLE(Type, number, ...)                          \
    template <>                                            \
    struct Sample<Type> {                                  \
        static Type make() { return Type{__VA_ARGS__}; }   \
        static constexpr std::uint8_t kOnTheWire = number; \
    };

SAMPLE(Hello, 1, makeId(1), "name", "user", "password", 5000, kMax64)
SAMPLE(Welcome, 17, makeId(9), "gazelle-hub", 1, kMax32, 3, 4, 5, 6, 7, 8, 9, 10, 11)
SAMPLE(OpenTopic, 2, 1, kMax32, "orders.created")
SAMPLE(CloseTopic, 4, 3)
SAMPLE(Flush, 5)
SAMPLE(Subscribe, 6, 1, 2, kMax64, "a.*.>", 3, StartKind::last, 7, 8, kMax64)
SAMPLE(Unsubscribe, 7, 8, 9)
SAMPLE(Credit, 8, 1, kMax64 - 1)
SAMPLE(Reply, 18, 5, Error::nameTooLong, "a sentence", 3)
SAMPLE(Confirm, 19, 1, kMax64, 1ULL << 63, 4, kMax64)
SAMPLE(TopicNamed, 20, 1, 2, "caf\xC3\xA9")
SAMPLE(Dropped, 22, 1, 2, 1ULL << 40)
SAMPLE(TopicGone, 23, 1, 2, Error::topicDeleted)
SAMPLE(AdminRequest, 9, 1, "topic.create", "{}")
SAMPLE(AdminReply, 25, 1, Error::topicExists, "there", LongText{"{}"})
SAMPLE(Gap, 26, 1, 2, 3, 4, kMax64)
SAMPLE(Notice, 24, 1, Error::hubMemoryFull, "full")
SAMPLE(Ping, 33, 77)
SAMPLE(Pong, 34, 78)
SAMPLE(Drain, 35)
SAMPLE(DrainAck, 36)
SAMPLE(Goodbye, 37, Error::stalled, "slow")
#undef SAMPLE

template <typename F>
class ControlFrame : public testing::Test {
  protected:
    F frame = Sample<F>::make();
    Bytes bytes = test::encoded(frame);
    ByteView body = ByteView{bytes}.subspan(kFrameHeaderBytes);
};

using Frames =
    testing::Types<Hello, Welcome, OpenTopic, CloseTopic, Flush, Subscribe, Unsubscribe, Credit, Reply,
                   Confirm, TopicNamed, Dropped, TopicGone, Gap, Notice, AdminRequest, AdminReply, Ping, Pong, Drain, DrainAck, Goodbye>;
TYPED_TEST_SUITE(ControlFrame, Frames);

TYPED_TEST(ControlFrame, has_its_number_and_length_in_the_header) {
    EXPECT_EQ(load<std::uint32_t>(this->bytes.data()), this->body.size());
    EXPECT_EQ(load<std::uint8_t>(this->bytes.data() + 4), Sample<TypeParam>::kOnTheWire);
    EXPECT_EQ(load<std::uint8_t>(this->bytes.data() + 5), 0);
    EXPECT_EQ(load<std::uint16_t>(this->bytes.data() + 6), 0);
}

TYPED_TEST(ControlFrame, decodes_to_what_was_encoded) {
    auto decoded = decode<TypeParam>(this->body);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->fields(), this->frame.fields());
}

TYPED_TEST(ControlFrame, is_refused_when_any_number_of_bytes_is_missing) {
    for (std::size_t size = 0; size < this->body.size(); ++size) {
        EXPECT_FALSE(decode<TypeParam>(this->body.first(size)))
            << size << " of " << this->body.size() << " bytes";
    }
}

TYPED_TEST(ControlFrame, may_have_bytes_that_a_later_version_added) {
    auto longer = Bytes(this->body.begin(), this->body.end());
    longer.insert(longer.end(), 9, std::byte{0xFF});
    auto decoded = decode<TypeParam>(longer);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->fields(), this->frame.fields());
}

TYPED_TEST(ControlFrame, is_appended_to_what_is_there) {
    Bytes two{std::byte{1}};
    encode(this->frame, two);
    EXPECT_EQ(Bytes(two.begin() + 1, two.end()), this->bytes);
}

TEST(ControlFrames, fields_stand_on_the_wire_in_the_order_of_the_struct) {
    auto const bytes = test::encoded(Subscribe{0x01020304, 0x05060708, 0x1112131415161718, "ab", 3, StartKind::offset, 7, 8, 9});
    EXPECT_EQ(bytes, test::makeFrame(FrameType::subscribe,
                                     asBytes(std::string_view{"\x04\x03\x02\x01\x08\x07\x06\x05"
                                                              "\x18\x17\x16\x15\x14\x13\x12\x11"
                                                              "\x02\0ab\x03\x04\x07\0\0\0\0\0\0\0\x08\0\x09\0\0\0\0\0\0\0",
                                                              40})));
    auto const reply = test::encoded(Reply{1, Error::limitReached, ""});
    EXPECT_EQ(reply, test::makeFrame(FrameType::reply, asBytes(std::string_view{"\x01\0\0\0\x2A\0\0\0\0\0", 10})));
}

TEST(ControlFrames, an_error_code_of_a_later_version_is_kept) {
    auto const bytes = test::encoded(Goodbye{static_cast<Error>(60'000), ""});
    auto const decoded = decode<Goodbye>(ByteView{bytes}.subspan(kFrameHeaderBytes));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(static_cast<int>(decoded->code), 60'000);
}

}  // namespace
}  // namespace gazellemq::protocol
