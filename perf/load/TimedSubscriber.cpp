#include "HubSubscriber.hpp"
#include "TimedReception.hpp"

namespace gazellemq::perf {

/// Subscribes in the form that is called for each message.
void runTimedSubscriber(RoleSpec const& spec, ParentLink& parent) {
    TimedReception reception{spec.workload, parent};
    HubSubscriber hub{spec};
    hub.subscribe(topicName(spec.topicPrefix, 0),
                  [&reception](client::Message const& message) { reception.accept(message.payload); });
    hub.connect();
    parent.send("ready");
    reception.checked().begin();
    parent.waitFor("go");

    parent.waitFor("published");
    reception.checked().waitForFinish(parent);
    hub.drain();
    reception.sendResult();
}

}  // namespace gazellemq::perf
