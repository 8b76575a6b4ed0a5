#include <vector>

#include "LinkState.hpp"
#include "MessageContent.hpp"
#include "Meters.hpp"
#include "PublisherClient.hpp"
#include "Require.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
namespace {

std::vector<std::string> topicNames(RoleSpec const& spec) {
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < spec.workload.topics; ++i) names.push_back(topicName(spec.topicPrefix, i));
    return names;
}

void publishAll(client::PublisherClient& client, RoleSpec const& spec, MessageContent const& content) {
    auto const topics = topicNames(spec);
    auto const count = spec.workload.messagesOf(spec.index);
    std::string message(content.size(), '\0');
    auto topic = topics.begin();
    for (std::uint64_t i = 0; i < count; ++i) {
        content.write({.sequence = i, .publisher = spec.index}, message.data());
        auto const error = client.publish(*topic, message);
        if (error != Error::ok) [[unlikely]]
            require(error, "message " + std::to_string(i) + " was refused");
        if (++topic == topics.end()) topic = topics.begin();
    }
}

/// As long as the hub goes on confirming there is no limit.
void flush(client::PublisherClient& client, std::chrono::milliseconds patience) {
    auto confirmed = client.stats().confirmed;
    auto error = client.flush(patience);
    while (error == Error::timeout && client.stats().confirmed > confirmed) {
        confirmed = client.stats().confirmed;
        error = client.flush(patience);
    }
    require(error, "flush after the last message");
}

}  // namespace

/// Publishes message by message, then waits until the hub has confirmed all.
void runPublisher(RoleSpec const& spec, ParentLink& parent) {
    MessageContent const content{spec.workload.size};
    LinkState link;
    client::PublisherClient client;
    client.onStateChange([&link](client::StateChange const& change) { link.note(change); });
    client::PublisherOptions options;
    options.blockTimeout = spec.timeout();
    require(client.connectToHub("gazelle-perf publisher " + std::to_string(spec.index), spec.hub, options),
            spec.hub);
    link.waitUntilReady(spec.hub);
    parent.send("ready");
    parent.waitFor("go");

    auto const cpuAtStart = ownCpuSeconds();
    auto const start = monotonicNs();
    publishAll(client, spec, content);
    flush(client, spec.timeout());
    parent.send("result", {{"start_ns", start}, {"cpu_seconds", ownCpuSeconds() - cpuAtStart}});
}

}  // namespace gazellemq::perf
