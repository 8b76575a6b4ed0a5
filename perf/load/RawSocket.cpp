#include "RawSocket.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "Failure.hpp"

namespace gazellemq::perf {
namespace {

constexpr int kBacklog = 1024;

[[noreturn]] void fail(std::string_view what) {
    auto const timedOut = errno == EAGAIN || errno == EWOULDBLOCK;
    throw Failure{std::string{what} +
                  " failed: " + (timedOut ? "nothing moved within the timeout" : std::strerror(errno))};
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int newSocket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

}  // namespace

RawSocket::RawSocket(int fd, std::chrono::milliseconds timeout) : fd_(fd), timeout_(timeout) {
    if (fd < 0) fail("opening a socket");
    int const on = 1;
    timeval const limit{.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

RawSocket RawSocket::listen(std::chrono::milliseconds timeout) {
    RawSocket result{newSocket(), timeout};
    auto const address = loopback(0);
    if (bind(result.fd_.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
        fail("bind");
    if (::listen(result.fd_.get(), kBacklog) != 0) fail("listen");
    return result;
}

RawSocket RawSocket::connect(std::uint16_t port, std::chrono::milliseconds timeout) {
    RawSocket result{newSocket(), timeout};
    auto const address = loopback(port);
    if (::connect(result.fd_.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
        fail("connect");
    return result;
}

RawSocket RawSocket::accept() const { return {accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC), timeout_}; }

std::uint16_t RawSocket::port() const {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) fail("getsockname");
    return ntohs(address.sin_port);
}

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
