#include <thread>

#include "HubSubscriber.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kBatchesBetween = 5;
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

/// Takes what comes on a topic or pattern, and every now and then takes nothing for a while.
void runSlowSubscriber(RoleSpec const& spec, ParentLink& parent) {
    std::uint64_t batches = 0;
    HubSubscriber hub{spec};
    hub.subscribe(spec.topicPrefix, [&batches](std::span<client::Message const>) {
        if (++batches % kBatchesBetween == 0) std::this_thread::sleep_for(kPause);
    });
    hub.connect();
    parent.send("ready");
    parent.waitForEnd();
}

}  // namespace gazellemq::perf
