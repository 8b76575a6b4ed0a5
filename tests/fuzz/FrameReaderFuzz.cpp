#include "FrameReader.hpp"

#include <algorithm>
#include <string>

#include "Fuzz.hpp"

namespace {

using namespace gazellemq::protocol;
using gazellemq::test::require;

constexpr std::size_t kMaxFrame = 3000;

/// The stream from byte 2 on in portions that bytes 0 and 1 choose; the frames must be those of a string cut
/// at its front.
void fuzz(ByteView input) {
    if (input.size() < 2) return;
    auto const slab = std::size_t{16} << (static_cast<unsigned>(input[0]) % 8);
    auto const portion = 1 + static_cast<std::size_t>(input[1]);
    auto const rests = static_cast<unsigned>(input[0]) >= 128;
    auto const pool = BufferPool::create(slab, 2);
    FrameReader reader{pool, kMaxFrame};
    std::string reference;
    BufferRef kept;
    ByteView keptBody;
    std::string keptText;
    for (auto rest = input.subspan(2); !rest.empty();) {
        auto const room = reader.prepare();
        require(!room.empty());
        auto const n = std::min({room.size(), rest.size(), portion});
        std::copy_n(rest.begin(), n, room.begin());
        reader.commit(n);
        reference += asText(rest.first(n));
        rest = rest.subspan(n);
        Frame frame;
        FrameReader::Step step{};
        while ((step = reader.next(frame)) == FrameReader::Step::frame) {
            auto const total = kFrameHeaderBytes + frame.body.size();
            require(total <= reference.size() &&
                    load<std::uint32_t>(asBytes(reference).data()) == frame.body.size());
            require(reference.compare(kFrameHeaderBytes, frame.body.size(), asText(frame.body)) == 0);
            reference.erase(0, total);
            kept = reader.buffer();
            keptBody = frame.body;
            keptText = asText(frame.body);
        }
        require(asText(reader.unread()) == reference);
        if (step == FrameReader::Step::tooLarge) {
            require(load<std::uint32_t>(asBytes(reference).data()) + kFrameHeaderBytes > kMaxFrame);
            return;
        }
        if (rests) reader.rest();
        require(asText(keptBody) == keptText);
        require(pool->bytesInUse() <= 3 * (slab + kMaxFrame));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz(gazellemq::test::asBytes(data, size));
    return 0;
}
