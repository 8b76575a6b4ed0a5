#include "FrameReader.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

using test::Bytes;
using Step = FrameReader::Step;

constexpr std::size_t kMaxFrame = 4 * 1024 * 1024;

struct Received {
    FrameType type;
    std::string body;
    bool operator==(Received const&) const = default;
};

/// Frames as they come, and a stream of them to compare with.
struct Stream {
    std::vector<Received> frames;
    Bytes bytes;

    void add(FrameType type, std::string body) {
        test::append(bytes, test::makeFrame(type, asBytes(body)));
        frames.push_back({type, std::move(body)});
    }
    /// The sizes of B01.
    static Stream ofSizes(std::initializer_list<std::size_t> sizes) {
        Stream stream;
        for (auto const size : sizes) stream.add(FrameType::publish, test::patternText(size, size));
        return stream;
    }
};

/// Hands over `bytes` in the portions that `nextPortion` asks for, as a socket might.
std::vector<Received> readAll(FrameReader& reader, ByteView bytes,
                              std::function<std::size_t()> const& nextPortion, bool rests = false) {
    std::vector<Received> received;
    while (!bytes.empty()) {
        auto const room = reader.prepare();
        if (room.empty()) {
            ADD_FAILURE() << "no room for the next bytes";
            break;
        }
        auto const n = std::min({bytes.size(), room.size(), nextPortion()});
        std::copy_n(bytes.begin(), n, room.begin());
        bytes = bytes.subspan(n);
        reader.commit(n);
        Frame frame;
        Step step{};
        while ((step = reader.next(frame)) == Step::frame)
            received.push_back({frame.type, std::string{asText(frame.body)}});
        EXPECT_EQ(step, Step::needMore);
        if (rests) reader.rest();
    }
    return received;
}

FrameReader makeReader(std::size_t slab = BufferPool::kSlabBytes, std::size_t maxFrame = kMaxFrame) {
    return {BufferPool::create(slab, 4), maxFrame};
}

// B01: (a)
TEST(FrameReader, delivers_every_frame_when_bytes_come_one_at_a_time) {
    auto const stream =
        Stream::ofSizes({0, 1, 2, 127, 128, 8191, 8192, 8193, 0, 32767, 32768, 32769, 65535, 65536, 0});
    for (auto const rests : {false, true}) {
        auto reader = makeReader();
        EXPECT_EQ(readAll(
                      reader, stream.bytes, [] { return 1; }, rests),
                  stream.frames);
    }
}

// B01: (b)
TEST(FrameReader, delivers_every_frame_when_the_stream_is_cut_in_two_at_any_offset) {
    auto const stream = Stream::ofSizes({0, 1, 0, 2, 127});
    for (std::size_t cut = 0; cut <= stream.bytes.size(); ++cut) {
        auto reader = makeReader();
        auto received = readAll(
            reader, ByteView{stream.bytes}.first(cut), [] { return kMaxFrame; }, true);
        auto const rest = readAll(
            reader, ByteView{stream.bytes}.subspan(cut), [] { return kMaxFrame; }, true);
        received.insert(received.end(), rest.begin(), rest.end());
        ASSERT_EQ(received, stream.frames) << "cut at " << cut;
    }
}

// B01: (c)
TEST(FrameReader, delivers_every_frame_when_all_comes_at_once) {
    auto const stream =
        Stream::ofSizes({0, 1, 2, 127, 128, 8191, 8192, 8193, 32767, 32768, 32769, 65535, 65536, 0});
    auto reader = makeReader();
    EXPECT_EQ(readAll(reader, stream.bytes, [] { return kMaxFrame; }), stream.frames);
}

TEST(FrameReader, takes_frames_of_about_the_size_of_a_slab) {
    constexpr std::size_t kSlab = 4096;
    for (std::size_t const portion : {7UL, 1000UL, 4096UL, 100'000UL}) {
        Stream stream;
        for (std::size_t size = kSlab - 40; size <= kSlab + 40; ++size) {
            stream.add(FrameType::publish, test::patternText(size, size));
            stream.add(FrameType::ping, test::patternText(size % 11));
        }
        auto reader = makeReader(kSlab);
        EXPECT_EQ(readAll(reader, stream.bytes, [&] { return portion; }), stream.frames)
            << "portions of " << portion;
    }
}

TEST(FrameReader, takes_frames_much_larger_than_a_slab) {
    auto const stream = Stream::ofSizes({5, 1'000'000, 0, 131'064, 131'065, 300'000, 3'000'000, 1});
    for (std::size_t const portion : {1000UL, 65'536UL, 1'000'000UL}) {
        auto reader = makeReader();
        EXPECT_EQ(readAll(
                      reader, stream.bytes, [&] { return portion; }, portion == 1000),
                  stream.frames);
    }
}

TEST(FrameReader, a_large_frame_costs_at_most_twice_what_has_arrived_of_it) {
    constexpr std::size_t kSlab = 4096;
    auto const pool = BufferPool::create(kSlab, 0);
    FrameReader reader{pool, kMaxFrame};
    auto const stream = Stream::ofSizes({2'000'000});
    std::size_t sent = 0;
    while (sent < stream.bytes.size()) {
        auto const room = reader.prepare();
        ASSERT_LE(pool->bytesInUse(), std::max(kSlab, 2 * sent)) << "after " << sent << " bytes";
        auto const n = std::min<std::size_t>({room.size(), stream.bytes.size() - sent, 1000});
        std::copy_n(stream.bytes.begin() + static_cast<std::ptrdiff_t>(sent), n, room.begin());
        reader.commit(n);
        sent += n;
        Frame frame;
        ASSERT_EQ(reader.next(frame), sent == stream.bytes.size() ? Step::frame : Step::needMore);
    }
}

TEST(FrameReader, goes_back_to_slabs_after_a_large_frame) {
    auto const pool = BufferPool::create(4096, 4);
    FrameReader reader{pool, kMaxFrame};
    auto const stream = Stream::ofSizes({1'000'000, 10});
    EXPECT_EQ(readAll(reader, stream.bytes, [] { return kMaxFrame; }), stream.frames);
    reader.prepare();
    EXPECT_EQ(pool->bytesInUse(), 4096U);
}

TEST(FrameReader, refuses_a_frame_over_the_limit_when_its_header_is_there) {
    auto reader = makeReader(4096, 1000);
    auto const fits = Stream::ofSizes({1000 - kFrameHeaderBytes});
    EXPECT_EQ(readAll(reader, fits.bytes, [] { return 100; }), fits.frames);

    Bytes header(kFrameHeaderBytes);
    storeFrameHeader(header.data(), FrameType::publish, 1000 - kFrameHeaderBytes + 1);
    Frame frame;
    for (std::size_t i = 0; i < header.size(); ++i) {
        reader.prepare()[0] = header[i];
        reader.commit(1);
        EXPECT_EQ(reader.next(frame), i + 1 < header.size() ? Step::needMore : Step::tooLarge);
    }
    EXPECT_EQ(reader.next(frame), Step::tooLarge) << "it stays so";
}

TEST(FrameReader, refuses_the_largest_length_that_can_be_written) {
    auto reader = makeReader();
    auto const room = reader.prepare();
    std::fill_n(room.begin(), kFrameHeaderBytes, std::byte{0xFF});
    reader.commit(kFrameHeaderBytes);
    Frame frame;
    EXPECT_EQ(reader.next(frame), Step::tooLarge);
}

TEST(FrameReader, a_raised_limit_holds_for_the_next_frame) {
    auto reader = makeReader(4096, 100);
    auto const stream = Stream::ofSizes({1000});
    auto const room = reader.prepare();
    std::copy(stream.bytes.begin(), stream.bytes.end(), room.begin());
    reader.commit(stream.bytes.size());
    Frame frame;
    EXPECT_EQ(reader.next(frame), Step::tooLarge);
    reader.setMaxFrameBytes(kMaxFrame);
    EXPECT_EQ(reader.next(frame), Step::frame);
}

TEST(FrameReader, skips_the_magic_in_front_of_the_frames) {
    auto reader = makeReader();
    auto const stream = Stream::ofSizes({3});
    auto const room = reader.prepare();
    std::copy_n(reinterpret_cast<std::byte const*>(kMagic.data()), kMagic.size(), room.begin());
    reader.commit(kMagic.size());
    EXPECT_EQ(reader.unread().size(), kMagic.size());
    reader.skip(kMagic.size());
    EXPECT_TRUE(reader.unread().empty());
    EXPECT_EQ(readAll(reader, stream.bytes, [] { return 2; }), stream.frames);
}

TEST(FrameReader, holds_nothing_while_it_rests_without_a_partial_frame) {
    auto const pool = BufferPool::create();
    FrameReader reader{pool, kMaxFrame};
    auto const stream = Stream::ofSizes({10, 20});
    readAll(
        reader, stream.bytes, [] { return kMaxFrame; }, true);
    EXPECT_EQ(pool->bytesInUse(), 0U);
}

TEST(FrameReader, holds_little_while_it_rests_with_a_partial_frame) {
    auto const pool = BufferPool::create();
    FrameReader reader{pool, kMaxFrame};
    auto const stream = Stream::ofSizes({500'000});
    EXPECT_TRUE(readAll(
                    reader, ByteView{stream.bytes}.first(100), [] { return kMaxFrame; }, true)
                    .empty());
    EXPECT_LE(pool->bytesInUse(), 4096U);
    EXPECT_EQ(reader.unread().size(), 100U);
    EXPECT_EQ(readAll(
                  reader, ByteView{stream.bytes}.subspan(100), [] { return kMaxFrame; }, true),
              stream.frames);
}

}  // namespace
}  // namespace gazellemq::protocol
