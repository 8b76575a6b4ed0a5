#include <array>
#include <cerrno>
#include <cstring>
#include <list>

#include <sys/epoll.h>

#include "Descriptor.hpp"
#include "Failure.hpp"
#include "Meters.hpp"
#include "RawHubClient.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::chrono::milliseconds kLook{100};
constexpr std::size_t kEventsAtOnce = 256;
constexpr std::size_t kSlabBytes = 4096;

/// A link that only answers PINGs.
class IdleClient {
  public:
    IdleClient(RoleSpec const& spec, RawHubClient::Pool const& pool)
        : client_(spec.hub, "gazelle-perf idle client", spec.timeout(), pool) {}

    int descriptor() const { return client_.descriptor(); }

    struct Heard {
        std::uint64_t welcomes = 0;
        std::uint64_t pings = 0;
    };
    void read(Heard& heard) {
        auto const result = client_.read([&](protocol::Frame const& frame) { take(frame, heard); });
        if (result == RawHubClient::Read::end)
            throw Failure{"the hub ended an idle connection" + (reason_.empty() ? "" : ": " + reason_)};
    }

  private:
    void take(protocol::Frame const& frame, Heard& heard) {
        if (frame.type == protocol::FrameType::welcome) ++heard.welcomes;
        if (frame.type == protocol::FrameType::ping) {
            ++heard.pings;
            if (auto const ping = protocol::decode<protocol::Ping>(frame.body))
                client_.send(protocol::Pong{ping->token});
        }
        if (frame.type == protocol::FrameType::goodbye) {
            if (auto const goodbye = protocol::decode<protocol::Goodbye>(frame.body)) reason_ = goodbye->reason;
        }
    }

    RawHubClient client_;
    std::string reason_;
};

/// All links of this process, read by one thread when something has come.
class IdleClients {
  public:
    IdleClients() : epoll_(epoll_create1(EPOLL_CLOEXEC)), pool_(protocol::BufferPool::create(kSlabBytes)) {}

    void connectOne(RoleSpec const& spec) {
        auto& client = clients_.emplace_back(spec, pool_);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = &client;
        if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, client.descriptor(), &event) != 0)
            throw Failure{"epoll: " + std::string{std::strerror(errno)}};
    }
    /// Reads what comes within `time`, of any of them.
    void attend(std::chrono::milliseconds time) {
        std::array<epoll_event, kEventsAtOnce> events;
        auto const count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                      static_cast<int>(time.count()));
        for (int i = 0; i < count; ++i)
            static_cast<IdleClient*>(events[static_cast<std::size_t>(i)].data.ptr)->read(heard_);
    }
    /// Reads what comes until all have been welcomed.
    void awaitWelcomes(std::chrono::milliseconds patience) {
        auto const limit = std::chrono::nanoseconds{patience}.count();
        for (auto last = monotonicNs(); heard_.welcomes < clients_.size();) {
            auto const before = heard_.welcomes;
            attend(kLook);
            if (heard_.welcomes > before) last = monotonicNs();
            else if (monotonicNs() - last > limit)
                throw Failure{"only " + std::to_string(before) + " of " + std::to_string(clients_.size()) +
                              " connections were welcomed"};
        }
    }
    IdleClient::Heard const& heard() const { return heard_; }

  private:
    Descriptor epoll_;
    RawHubClient::Pool pool_;
    std::list<IdleClient> clients_;
    IdleClient::Heard heard_;
};

}  // namespace

/// Connects all at once when told to "go", and is "complete" when the hub has welcomed them; then only answers
/// the hub's heartbeats until it is told to "finish".
void runIdleClients(RoleSpec const& spec, ParentLink& parent) {
    IdleClients clients;
    parent.send("ready");
    parent.waitFor("go");
    auto const start = monotonicNs();
    for (std::uint64_t i = 0; i < spec.workload.subscribers; ++i) clients.connectOne(spec);
    clients.awaitWelcomes(spec.timeout());
    parent.send("complete", {{"start_ns", start}, {"end_ns", monotonicNs()}});
    while (!parent.waitFor("finish", std::chrono::milliseconds{1})) clients.attend(kLook);
    parent.send("result", {{"pings", clients.heard().pings}});
}

}  // namespace gazellemq::perf
