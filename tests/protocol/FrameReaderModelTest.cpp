#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "Batches.hpp"
#include "FrameReader.hpp"

namespace gazellemq::protocol {
namespace {

using test::Bytes;

/// What somebody keeps of a frame: the place of its body, the buffer that it lies in, and what it must
/// contain for ever.
struct Kept {
    BufferRef owner;
    ByteView body;
    std::string expected;
    void check() const { ASSERT_EQ(asText(body), expected) << "a kept frame was overwritten"; }
};

/// The reference: a string of all bytes, cut at its front.
struct Reference {
    std::string unread;
    std::optional<std::pair<std::uint8_t, std::string>> next() {
        if (unread.size() < kFrameHeaderBytes) return std::nullopt;
        auto const size = load<std::uint32_t>(asBytes(unread).data());
        if (unread.size() - kFrameHeaderBytes < size) return std::nullopt;
        std::pair frame{static_cast<std::uint8_t>(unread[4]), unread.substr(kFrameHeaderBytes, size)};
        unread.erase(0, kFrameHeaderBytes + size);
        return frame;
    }
};

Bytes randomFrames(test::Random& random, std::size_t slab, int count) {
    Bytes bytes;
    for (int i = 0; i < count; ++i) {
        auto const kind = test::pick(random, 0, 9);
        auto const size = kind < 6   ? test::pick(random, 0, slab / 8)
                          : kind < 9 ? test::pick(random, slab - 20, slab + 20)
                                     : test::pick(random, slab, slab * 5);
        auto const body = test::patternText(size, static_cast<std::size_t>(random()));
        test::append(bytes,
                     test::makeFrame(static_cast<FrameType>(test::pick(random, 0, 255)), asBytes(body)));
    }
    return bytes;
}

void run(std::uint64_t seed, std::size_t slab) {
    test::Random random{seed};
    auto const pool = BufferPool::create(slab, 3);
    {
        FrameReader reader{pool, 1 << 20};
        Reference reference;
        std::deque<Kept> kept;
        auto const bytes = randomFrames(random, slab, 300);
        std::size_t const largestPortion = slab / 4 + test::pick(random, 0, slab * 2);
        for (std::size_t at = 0; at < bytes.size();) {
            auto const room = reader.prepare();
            ASSERT_FALSE(room.empty());
            auto const n = std::min({bytes.size() - at, room.size(), test::pick(random, 1, largestPortion)});
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), n, room.begin());
            reader.commit(n);
            reference.unread.append(asText(ByteView{bytes}.subspan(at, n)));
            at += n;
            Frame frame;
            while (reader.next(frame) == FrameReader::Step::frame) {
                auto const expected = reference.next();
                ASSERT_TRUE(expected);
                ASSERT_EQ(static_cast<std::uint8_t>(frame.type), expected->first);
                ASSERT_EQ(asText(frame.body), expected->second);
                auto const* const begin = reader.buffer()->data();
                ASSERT_GE(frame.body.data(), begin);
                ASSERT_LE(frame.body.data() + frame.body.size(), begin + reader.buffer()->capacity());
                if (test::pick(random, 0, 2) == 0)
                    kept.push_back({reader.buffer(), frame.body, expected->second});
            }
            ASSERT_FALSE(reference.next()) << "a whole frame was not given";
            ASSERT_EQ(asText(reader.unread()), reference.unread);
            if (test::pick(random, 0, 3) == 0) reader.rest();
            ASSERT_EQ(asText(reader.unread()), reference.unread);
            while (kept.size() > test::pick(random, 0, 30)) {
                ASSERT_NO_FATAL_FAILURE(kept.front().check());
                kept.pop_front();
            }
        }
        for (auto const& frame : kept) ASSERT_NO_FATAL_FAILURE(frame.check());
        ASSERT_TRUE(reader.unread().empty());
    }
    EXPECT_EQ(pool->bytesInUse(), 0U);
}

TEST(FrameReaderModel, cuts_like_a_string_and_never_overwrites_a_kept_frame) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        for (std::size_t const slab : {64U, 1000U, 16'384U}) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", slabs of " << slab);
            ASSERT_NO_FATAL_FAILURE(run(seed, slab));
        }
    }
}

}  // namespace
}  // namespace gazellemq::protocol
