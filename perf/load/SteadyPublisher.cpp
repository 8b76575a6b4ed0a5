#include <string>

#include "HubPublisher.hpp"
#include "MessageContent.hpp"
#include "Meters.hpp"
#include "Schedule.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::chrono::milliseconds kBeat{10};

}  // namespace

/// Publishes at its rate, what is due every 10 ms together, until it is told to stop.
void runSteadyPublisher(RoleSpec const& spec, ParentLink& parent) {
    MessageContent const content{spec.workload.size};
    std::string message(content.size(), '\0');
    auto const topic = topicName(spec.topicPrefix, 0);
    HubPublisher hub{spec};
    parent.send("ready");
    parent.waitFor("go");

    Schedule const schedule{monotonicNs(), spec.workload.rate};
    std::uint64_t next = 0;
    while (!parent.waitFor("stop", kBeat)) {
        for (auto const end = schedule.dueBy(monotonicNs()); next < end; ++next) {
            content.write({.sequence = next, .publisher = 0}, message.data());
            hub.publish(topic, message);
        }
    }
    hub.flush();
    parent.send("result", {{"messages", next}});
}

}  // namespace gazellemq::perf
