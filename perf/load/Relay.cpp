#include <vector>

#include <nlohmann/json.hpp>

#include "RawSocket.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

/// The honest limit of anything that stands between a publisher and its subscribers: what is read is written
/// to each of them. The subscribers connect first, then the publisher.
void runRelay(RoleSpec const& spec, ParentLink& parent) {
    auto const listener = RawSocket::listen(spec.relay, spec.timeout());
    parent.send("ready", {{"address", listener.address()}});
    std::vector<RawSocket> subscribers;
    while (subscribers.size() < spec.workload.subscribers) subscribers.push_back(listener.accept());
    auto const publisher = listener.accept();

    std::vector<char> buffer(kReadBytes);
    while (auto const count = publisher.readSome(buffer)) {
        for (auto const& subscriber : subscribers) subscriber.writeAll({buffer.data(), count});
    }
    for (auto const& subscriber : subscribers) subscriber.finishWriting();
    parent.waitFor("finish");
}

}  // namespace gazellemq::perf
