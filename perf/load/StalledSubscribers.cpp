#include <limits>
#include <list>

#include "Batch.hpp"
#include "RawHubClient.hpp"
#include "Role.hpp"
#include "StalledTally.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::chrono::seconds kBetweenSigns{1};
/// Whoever goes on has so much waiting that a pause means that no more comes.
constexpr std::chrono::seconds kLastPatience{5};

/// A link that subscribes to all topics of the run and then reads nothing, though it gives signs of life:
/// what it does not take fills the sockets and the hub's window.
class StalledSubscriber {
  public:
    StalledSubscriber(RoleSpec const& spec, RawHubClient::Pool const& pool)
        : client_(spec.hub, "gazelle-perf stalled subscriber", kLastPatience, pool) {
        // The credit never holds the hub back, only what nobody reads.
        client_.send(protocol::Subscribe{.requestId = 1,
                                         .subscription = 1,
                                         .credit = std::numeric_limits<std::uint64_t>::max(),
                                         .pattern = spec.topicPrefix + ".*"});
        client_.waitFor(protocol::FrameType::reply);
    }

    void giveSign() { client_.trySend(protocol::Pong{}); }

    /// Takes what has waited; all `published` messages are then received, or dropped, or the link was ended.
    void goOn(std::uint64_t published, StalledTally& tally) {
        auto result = RawHubClient::Read::some;
        while (received_ + dropped_ < published && result == RawHubClient::Read::some)
            result = client_.read([this](protocol::Frame const& frame) { take(frame); });
        tally.add(published, received_, dropped_, result == RawHubClient::Read::end);
    }

  private:
    void take(protocol::Frame const& frame) {
        if (frame.type == protocol::FrameType::dropped) {
            if (auto const told = protocol::decode<protocol::Dropped>(frame.body)) dropped_ += told->count;
        } else if (frame.type == protocol::FrameType::deliver) {
            countMessages(frame.body.subspan(protocol::kDataHeaderBytes - protocol::kFrameHeaderBytes));
        }
    }

    void countMessages(protocol::ByteView batches) {
        while (auto const header = protocol::BatchHeader::decode(batches)) {
            received_ += header->count;
            batches = batches.subspan(header->totalBytes());
        }
    }

    RawHubClient client_;
    std::uint64_t received_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace

/// All stalled subscribers of a run. "go" is when they go on.
void runStalledSubscribers(RoleSpec const& spec, ParentLink& parent) {
    auto const pool = protocol::BufferPool::create();
    std::list<StalledSubscriber> subscribers;
    for (std::uint64_t i = 0; i < spec.workload.stalled; ++i) subscribers.emplace_back(spec, pool);
    parent.send("ready");
    while (!parent.waitFor("go", kBetweenSigns)) {
        for (auto& subscriber : subscribers) subscriber.giveSign();
    }
    StalledTally tally;
    for (auto& subscriber : subscribers) subscriber.goOn(spec.workload.messages, tally);
    parent.send("result", {{"received", tally.received},
                           {"dropped", tally.dropped},
                           {"unaccounted", tally.unaccounted},
                           {"cut", tally.cut}});
}

}  // namespace gazellemq::perf
