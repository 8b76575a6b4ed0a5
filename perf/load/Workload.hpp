#pragma once
#include <cstdint>
#include <string>

namespace gazellemq::perf {

/// What is sent from whom to whom. Publisher p numbers its messages from 0; message n goes to topic n %
/// topics; every subscriber gets every message. Pure.
struct Workload {
    std::uint64_t messages = 1'000'000;  ///< of all publishers together
    std::uint64_t size = 86;             ///< bytes of one payload
    std::uint64_t publishers = 1;
    std::uint64_t subscribers = 1;
    std::uint64_t topics = 1;
    std::uint64_t rate =
        0;  ///< messages per second of each publisher, each at its time; 0: as fast as possible
    std::uint64_t stalled = 0;     ///< more subscribers, by pattern, that read nothing while it is measured
    bool stalledAreCut = false;    ///< the hub disconnects them; otherwise they lose the oldest messages

    std::uint64_t messagesOf(std::uint64_t publisher) const {
        return messages / publishers + (publisher < messages % publishers ? 1 : 0);
    }
};

/// Names are unique per run, so that runs on one hub never see each other's messages.
inline std::string topicName(std::string const& prefix, std::uint64_t topic) {
    return prefix + "." + std::to_string(topic);
}

}  // namespace gazellemq::perf
