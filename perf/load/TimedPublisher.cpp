#include <algorithm>
#include <string>

#include "HubPublisher.hpp"
#include "Meters.hpp"
#include "Pacer.hpp"
#include "TimedContent.hpp"

namespace gazellemq::perf {

/// Publishes each message at its time, or as soon after it as it can: never waits for earlier ones.
void runTimedPublisher(RoleSpec const& spec, ParentLink& parent) {
    TimedContent const content{spec.workload.size};
    std::string message(content.size(), '\0');
    auto const topic = topicName(spec.topicPrefix, 0);
    HubPublisher hub{spec};
    parent.send("ready");
    parent.waitFor("go");

    auto const cpuAtStart = ownCpuSeconds();
    auto const start = monotonicNs();
    Pacer const pacer{spec.workload.rate};
    for (std::uint64_t next = 0; next < spec.workload.messages;) {
        auto const end = std::min(pacer.waitFor(next), spec.workload.messages);
        for (; next < end; ++next) {
            content.write(next, pacer.dueAt(next), message.data());
            hub.publish(topic, message);
        }
    }
    hub.flush();
    parent.send("result", {{"start_ns", start}, {"cpu_seconds", ownCpuSeconds() - cpuAtStart}});
}

}  // namespace gazellemq::perf
