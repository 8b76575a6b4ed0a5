#include <string>

#include <nlohmann/json.hpp>

#include "MessageContent.hpp"
#include "Meters.hpp"
#include "RawBatch.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
/// Feeds the relay: makes each message as the SDK's publisher does, then copies it into a batch; nothing
/// else.
void runRawPublisher(RoleSpec const& spec, ParentLink& parent) {
    MessageContent const content{spec.workload.size};
    std::string message(spec.workload.size, '\0');
    auto const socket = RawSocket::connect(spec.relay, spec.timeout());
    RawBatch batch{socket, message.size()};
    parent.send("ready");
    parent.waitFor("go");

    auto const cpuAtStart = ownCpuSeconds();
    auto const start = monotonicNs();
    for (std::uint64_t i = 0; i < spec.workload.messages; ++i) {
        content.write({.sequence = i, .publisher = 0}, message.data());
        batch.add(message);
    }
    batch.send();
    socket.finishWriting();
    parent.send("result", {{"start_ns", start}, {"cpu_seconds", ownCpuSeconds() - cpuAtStart}});
}

}  // namespace gazellemq::perf
