#include "Session.hpp"

#include <chrono>
#include <memory>

#include "Admin.hpp"
#include "FakeClient.hpp"
#include "Fuzz.hpp"

namespace {

using namespace gazellemq;
using namespace gazellemq::protocol;
using test::FakeClient;
using test::FakeHub;
using test::require;

/// Types that no protocol has: what happens around the session.
enum class Event : std::uint8_t {
    timePasses = 240,
    socketFills = 241,
    socketDrains = 242,
    hubDrains = 243,
    peerReturns = 244,
    peerPublishes = 245,  // many bytes from a short record: windows fill with small inputs
};

hub::Limits smallLimits() {
    hub::Limits limits;
    limits.windowBytes = 64 * 1024;
    limits.maxMemory = 1024 * 1024;
    limits.maxPayloadBytes = 64 * 1024;
    limits.maxTopics = 10;
    limits.maxSubscriptions = 8;
    limits.maxOpenTopics = 8;
    limits.maxControlBytes = 2000;
    limits.idleTopicTtl = std::chrono::seconds{3};
    return limits;
}

/// Records of a type (u8), a length (u16) and a body: frames of one client, and events. A good client reads
/// along, and must see nothing but whole frames and batches.
void fuzz(ByteView input) {
    FakeHub hub{smallLimits(), 16 * 1024};
    hub::Admin admin{hub.broker()};
    hub.broker().setAdmin(admin);
    {
        FakeClient good{hub};
        good.verifiesChecksums = false;  // the hub hands on what the publisher wrote
        good.subscribe(1, ">");
        good.subscribe(2, "t");
        auto peer = std::make_unique<FakeClient>(hub);
        while (input.size() >= 3) {
            auto const type = load<std::uint8_t>(input.data());
            auto const size = std::min<std::size_t>(load<std::uint16_t>(input.data() + 1), input.size() - 3);
            auto const body = input.subspan(3, size);
            input = input.subspan(3 + size);
            switch (static_cast<Event>(type)) {
                case Event::timePasses:
                    hub.advance(std::chrono::milliseconds{50 * size});
                    break;
                case Event::socketFills:
                    peer->reads = false;
                    break;
                case Event::socketDrains:
                    peer->read(size * 100);
                    break;
                case Event::hubDrains:
                    hub.broker().drain();
                    break;
                case Event::peerReturns:
                    peer.reset(), peer = std::make_unique<FakeClient>(hub);
                    break;
                case Event::peerPublishes:
                    peer->publish(1, std::string(size * 100 % 65'000, 'x'));
                    break;
                default:
                    peer->write(test::makeFrame(static_cast<FrameType>(type), body));
                    break;
            }
            good.send(Pong{});
            good.received.clear();
            good.messages.clear();
        }
        peer->reads = true;
        peer->read();
        hub.settle();
        require(!good.brokenStream);
        require(!peer->session().closing() || peer->session().finished());
    }
    require(hub.broker().subscriptionCount() == 0 && hub.broker().sessionCount() == 0);
    require(hub.pool().bytesInUse() == 0);
    require(hub.broker().takeAwake().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz(test::asBytes(data, std::min<std::size_t>(size, 64 * 1024)));
    return 0;
}
