#include "HubSubscriber.hpp"
#include "Reception.hpp"

namespace gazellemq::perf {
namespace {

void subscribeAll(HubSubscriber& hub, RoleSpec const& spec, Reception& reception) {
    for (std::uint64_t topic = 0; topic < spec.workload.topics; ++topic) {
        hub.subscribe(topicName(spec.topicPrefix, topic),
                      [topic, &reception](std::span<client::Message const> messages) {
                          for (auto const& message : messages) reception.accept(topic, message.payload);
                          reception.endOfBatch();
                      });
    }
}

}  // namespace

/// Subscribes to each topic in the batch form. After the last message the link is drained, so that a message
/// too many is found.
void runSubscriber(RoleSpec const& spec, ParentLink& parent) {
    Reception reception{spec.workload, parent};
    HubSubscriber hub{spec};
    subscribeAll(hub, spec, reception);
    hub.connect();
    parent.send("ready");
    reception.begin();
    parent.waitFor("go");

    parent.waitFor("published");
    reception.waitForFinish(parent);
    hub.drain();
    reception.sendResult();
}

}  // namespace gazellemq::perf
