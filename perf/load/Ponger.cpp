#include "HubPublisher.hpp"
#include "HubSubscriber.hpp"
#include "PingPongTopics.hpp"
#include "Reception.hpp"

namespace gazellemq::perf {

/// Publishes what it gets, in the callback.
void runPonger(RoleSpec const& spec, ParentLink& parent) {
    auto const topic = pongTopic(spec);
    Reception reception{spec.workload, parent};
    HubPublisher publisher{spec};
    HubSubscriber subscriber{spec};
    subscriber.subscribe(pingTopic(spec), [&](client::Message const& ping) {
        publisher.publish(topic, ping.payload);
        reception.accept(0, ping.payload);
        reception.endOfBatch();
    });
    reception.begin();
    subscriber.connect();
    parent.send("ready");

    parent.waitFor("finish");
    subscriber.drain();
    reception.giveUp();
    reception.sendResult();
}

}  // namespace gazellemq::perf
