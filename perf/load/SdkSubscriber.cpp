#include "LinkState.hpp"
#include "Reception.hpp"
#include "Require.hpp"
#include "Role.hpp"
#include "SubscriberClient.hpp"

namespace gazellemq::perf {
namespace {

/// When everything is published and confirmed and nothing has come for so long, what is missing is lost.
constexpr std::chrono::seconds kLastPatience{5};
constexpr std::chrono::seconds kDrainLimit{5};

void subscribeAll(client::SubscriberClient& client, RoleSpec const& spec, Reception& reception) {
    for (std::uint64_t topic = 0; topic < spec.workload.topics; ++topic) {
        auto const subscribed =
            client.subscribe(topicName(spec.topicPrefix, topic),
                             [topic, &reception](std::span<client::Message const> messages) {
                                 for (auto const& message : messages)
                                     reception.accept(topic, message.payload);
                                 reception.endOfBatch();
                             });
        require(subscribed.error(), "subscribing");
    }
}

void waitForFinish(ParentLink& parent, Reception& reception) {
    parent.waitFor("published");
    auto received = reception.received();
    while (!parent.waitFor("finish", kLastPatience)) {
        auto const now = reception.received();
        if (!reception.ended() && now == received) reception.giveUp();
        received = now;
    }
}

}  // namespace

/// Subscribes to each topic in the batch form. After the last message the link is drained, so that a message
/// too many is found.
void runSubscriber(RoleSpec const& spec, ParentLink& parent) {
    LinkState link;
    Reception reception{spec.workload, parent};
    client::SubscriberClient client;
    client.onStateChange([&link](client::StateChange const& change) { link.note(change); });
    subscribeAll(client, spec, reception);
    require(client.connectToHub("gazelle-perf subscriber " + std::to_string(spec.index), spec.hub), spec.hub);
    link.waitUntilReady(spec.hub);
    require(client.waitUntilSubscribed(LinkState::kLimit), "subscribing");
    parent.send("ready");
    reception.begin();
    parent.waitFor("go");

    waitForFinish(parent, reception);
    require(client.drain(kDrainLimit), "draining the subscriber's link");
    reception.sendResult();
}

}  // namespace gazellemq::perf
