#include "HubPublisher.hpp"
#include "HubSubscriber.hpp"
#include "PingPongTopics.hpp"
#include "Rounds.hpp"

namespace gazellemq::perf {

/// Publishes the first ping; then the callback of each pong publishes the next.
void runPinger(RoleSpec const& spec, ParentLink& parent) {
    auto const topic = pingTopic(spec);
    Rounds rounds{spec.workload, parent};
    HubPublisher publisher{spec};
    HubSubscriber subscriber{spec};
    subscriber.subscribe(pongTopic(spec), [&](client::Message const& pong) {
        rounds.accept(pong.payload);
        if (!rounds.atEnd()) publisher.publish(topic, rounds.next());
    });
    subscriber.connect();
    parent.send("ready");
    parent.waitFor("go");

    rounds.checked().begin();
    publisher.publish(topic, rounds.next());
    rounds.checked().waitForFinish(parent);
    subscriber.drain();
    rounds.sendResult();
}

}  // namespace gazellemq::perf
