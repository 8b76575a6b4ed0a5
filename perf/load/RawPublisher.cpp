#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "MessageContent.hpp"
#include "Meters.hpp"
#include "ProgressReporter.hpp"
#include "RawSocket.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::size_t kBatchBytes = 32 * 1024;

/// Messages behind their length (u32), gathered and written when the next one does not fit.
class RawBatch {
  public:
    RawBatch(RawSocket const& socket, std::size_t messageBytes)
        : socket_(socket), bytes_(std::max(kBatchBytes, sizeof(std::uint32_t) + messageBytes)) {}

    void add(std::string_view message) {
        auto const length = static_cast<std::uint32_t>(message.size());
        if (bytes_.size() - used_ < sizeof length + length) send();
        std::memcpy(bytes_.data() + used_, &length, sizeof length);
        std::memcpy(bytes_.data() + used_ + sizeof length, message.data(), length);
        used_ += sizeof length + length;
    }

    void send() {
        socket_.writeAll({bytes_.data(), used_});
        used_ = 0;
    }

  private:
    RawSocket const& socket_;
    std::vector<char> bytes_;
    std::size_t used_ = 0;
};

}  // namespace

/// Feeds the relay: makes each message as the SDK's publisher does, then copies it into a batch; nothing
/// else.
void runRawPublisher(RoleSpec const& spec, ParentLink& parent) {
    MessageContent const content{spec.workload.size};
    std::string message(spec.workload.size, '\0');
    auto const socket = RawSocket::connect(spec.port, spec.timeout());
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
