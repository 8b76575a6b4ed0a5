#include "RawSocket.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "Failure.hpp"
#include "SocketAddress.hpp"

namespace gazellemq::perf {
namespace {

constexpr int kBacklog = 1024;

[[noreturn]] void fail(std::string_view what) {
    auto const timedOut = errno == EAGAIN || errno == EWOULDBLOCK;
    throw Failure{std::string{what} +
                  " failed: " + (timedOut ? "nothing moved within the timeout" : std::strerror(errno))};
}

int newSocket(SocketAddress const& address) {
    return socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
}

}  // namespace

RawSocket::RawSocket(int fd, std::chrono::milliseconds timeout) : fd_(fd), timeout_(timeout) {
    if (fd < 0) fail("opening a socket");
    int const on = 1;
    timeval const limit{.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
    // Refused by a Unix socket, which never waits with small writes.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

RawSocket RawSocket::listen(std::string const& address, std::chrono::milliseconds timeout) {
    SocketAddress const local{address};
    RawSocket result{newSocket(local), timeout};
    if (bind(result.fd_.get(), local.data(), local.size()) != 0) fail("bind to " + address);
    if (::listen(result.fd_.get(), kBacklog) != 0) fail("listen");
    return result;
}

RawSocket RawSocket::connect(std::string const& address, std::chrono::milliseconds timeout) {
    SocketAddress const remote{address};
    RawSocket result{newSocket(remote), timeout};
    if (::connect(result.fd_.get(), remote.data(), remote.size()) != 0) fail("connect to " + address);
    return result;
}

RawSocket RawSocket::accept() const { return {accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC), timeout_}; }

std::string RawSocket::address() const { return SocketAddress{fd_.get()}.text(); }

void RawSocket::writeAll(std::string_view bytes) const {
    while (!bytes.empty()) {
        auto const count = write(fd_.get(), bytes.data(), bytes.size());
        if (count >= 0) bytes.remove_prefix(static_cast<std::size_t>(count));
        else if (errno != EINTR) fail("write");
    }
}

std::size_t RawSocket::readSome(std::span<char> buffer) const {
    for (;;) {
        auto const count = read(fd_.get(), buffer.data(), buffer.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) fail("read");
    }
}

void RawSocket::finishWriting() const {
    if (shutdown(fd_.get(), SHUT_WR) != 0) fail("shutdown");
}

}  // namespace gazellemq::perf
