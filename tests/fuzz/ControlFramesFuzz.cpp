#include "ControlFrames.hpp"

#include <algorithm>

#include "Fuzz.hpp"

namespace {

using namespace gazellemq::protocol;
using gazellemq::test::require;

/// What can be decoded is encoded to the same bytes, apart from those that a later version added.
template <typename F>
void roundTrip(ByteView body) {
    auto const frame = decode<F>(body);
    if (!frame) return;
    std::vector<std::byte> again;
    encode(*frame, again);
    auto const encoded = ByteView{again}.subspan(kFrameHeaderBytes);
    require(encoded.size() <= body.size() && std::equal(encoded.begin(), encoded.end(), body.begin()));
}

template <typename... Frames>
void tryAll(FrameType type, ByteView body) {
    ((Frames::kType == type ? roundTrip<Frames>(body) : void()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    tryAll<Hello, Welcome, OpenTopic, CloseTopic, Flush, Subscribe, Unsubscribe, Credit, Reply, Confirm,
           TopicNamed, Dropped, TopicGone, Notice, AdminRequest, AdminReply, Ping, Pong, Drain, DrainAck, Goodbye>(
        static_cast<FrameType>(data[0]), gazellemq::test::asBytes(data + 1, size - 1));
    return 0;
}
