#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "Meters.hpp"
#include "Pacer.hpp"
#include "RawBatch.hpp"
#include "Role.hpp"
#include "TimedContent.hpp"

namespace gazellemq::perf {

/// Feeds the relay as the timed publisher feeds the hub: all that is due leaves in one write.
void runRawTimedPublisher(RoleSpec const& spec, ParentLink& parent) {
    TimedContent const content{spec.workload.size};
    std::string message(content.size(), '\0');
    auto const socket = RawSocket::connect(spec.relay, spec.timeout());
    RawBatch batch{socket, message.size()};
    parent.send("ready");
    parent.waitFor("go");

    auto const cpuAtStart = ownCpuSeconds();
    auto const start = monotonicNs();
    Pacer const pacer{spec.workload.rate};
    for (std::uint64_t next = 0; next < spec.workload.messages;) {
        auto const end = std::min(pacer.waitFor(next), spec.workload.messages);
        for (; next < end; ++next) {
            content.write(next, pacer.dueAt(next), message.data());
            batch.add(message);
        }
        batch.send();
    }
    socket.finishWriting();
    parent.send("result", {{"start_ns", start}, {"cpu_seconds", ownCpuSeconds() - cpuAtStart}});
}

}  // namespace gazellemq::perf
