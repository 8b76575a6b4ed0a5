#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "HubPublisher.hpp"
#include "Meters.hpp"
#include "Pacer.hpp"
#include "TimedContent.hpp"

namespace gazellemq::perf {

/// Publishes each message at its time, or as soon after it as it can: never waits for earlier ones. What is due at the same time is
/// published together.
void runTimedPublisher(RoleSpec const& spec, ParentLink& parent) {
    TimedContent const content{spec.workload.size};
    auto const topic = topicName(spec.topicPrefix, 0);
    HubPublisher hub{spec};
    parent.send("ready");
    parent.waitFor("go");

    auto const cpuAtStart = ownCpuSeconds();
    auto const start = monotonicNs();
    Pacer const pacer{spec.workload.rate};
    std::string bytes;
    std::vector<std::string_view> due;
    for (std::uint64_t next = 0; next < spec.workload.messages;) {
        auto const end = std::min(pacer.waitFor(next), spec.workload.messages);
        auto const size = content.size();
        bytes.resize(std::max(bytes.size(), (end - next) * size));
        due.clear();
        for (auto* out = bytes.data(); next < end; ++next, out += size) {
            content.write(next, pacer.dueAt(next), out);
            due.emplace_back(out, size);
        }
        hub.publish(topic, due);
    }
    hub.flush();
    parent.send("result", {{"start_ns", start}, {"cpu_seconds", ownCpuSeconds() - cpuAtStart}});
}

}  // namespace gazellemq::perf
