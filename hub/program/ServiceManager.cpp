#include "ServiceManager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace gazellemq::hub {
namespace {

/// $WATCHDOG_USEC, if it is meant for this process; 0 without.
std::chrono::microseconds watchdogInterval() {
    auto const* pid = std::getenv("WATCHDOG_PID");
    if (pid && std::to_string(::getpid()) != pid) return {};
    auto const* text = std::getenv("WATCHDOG_USEC");
    std::int64_t microseconds = 0;
    if (text) std::from_chars(text, text + std::strlen(text), microseconds);
    return std::chrono::microseconds{microseconds};
}

}  // namespace

void notifyServiceManager(std::string_view state) {
    auto const* path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (!path || (path[0] != '/' && path[0] != '@') || std::strlen(path) >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path, std::strlen(path));
    if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
    auto const socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
    ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr const*>(&address), size);
    ::close(socket);
}

Watchdog::Watchdog(std::function<void()> ask) : ask_(std::move(ask)) {
    if (auto const interval = watchdogInterval(); interval.count() > 0) thread_ = std::thread([this, interval] { run(interval / 2); });
}

Watchdog::~Watchdog() {
    {
        std::lock_guard const lock{mutex_};
        ended_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void Watchdog::run(std::chrono::microseconds interval) {
    std::unique_lock lock{mutex_};
    while (!changed_.wait_for(lock, interval, [this] { return ended_; })) {
        lock.unlock();
        ask_();
        notifyServiceManager("WATCHDOG=1");
        lock.lock();
    }
}

}  // namespace gazellemq::hub
