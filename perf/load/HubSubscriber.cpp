#include "HubSubscriber.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::chrono::seconds kDrainLimit{5};

}  // namespace

void HubSubscriber::connect() {
    client_.onStateChange([this](client::StateChange const& change) { link_.note(change); });
    require(client_.connectToHub("gazelle-perf subscriber " + std::to_string(spec_.index), spec_.hub),
            spec_.hub);
    link_.waitUntilReady(spec_.hub);
    require(client_.waitUntilSubscribed(LinkState::kLimit), "subscribing");
}

void HubSubscriber::drain() { require(client_.drain(kDrainLimit), "draining the subscriber's link"); }

}  // namespace gazellemq::perf
