#include <vector>

#include "HubPublisher.hpp"
#include "MessageContent.hpp"
#include "Meters.hpp"

namespace gazellemq::perf {
namespace {

std::vector<std::string> topicNames(RoleSpec const& spec) {
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < spec.workload.topics; ++i) names.push_back(topicName(spec.topicPrefix, i));
    return names;
}

void publishAll(HubPublisher& hub, RoleSpec const& spec, MessageContent const& content) {
    auto const topics = topicNames(spec);
    auto const count = spec.workload.messagesOf(spec.index);
    std::string message(content.size(), '\0');
    auto topic = topics.begin();
    for (std::uint64_t i = 0; i < count; ++i) {
        content.write({.sequence = i, .publisher = spec.index}, message.data());
        hub.publish(*topic, message);
        if (++topic == topics.end()) topic = topics.begin();
    }
}

}  // namespace

/// Publishes message by message, then waits until the hub has confirmed all.
void runPublisher(RoleSpec const& spec, ParentLink& parent) {
    MessageContent const content{spec.workload.size};
    HubPublisher hub{spec};
    parent.send("ready");
    parent.waitFor("go");

    auto const cpuAtStart = ownCpuSeconds();
    auto const start = monotonicNs();
    publishAll(hub, spec, content);
    hub.flush();
    parent.send("result", {{"start_ns", start}, {"cpu_seconds", ownCpuSeconds() - cpuAtStart}});
}

}  // namespace gazellemq::perf
