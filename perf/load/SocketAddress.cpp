#include "SocketAddress.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <sys/un.h>

#include "Failure.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1:";

}  // namespace

SocketAddress::SocketAddress(std::string const& text) {
    if (text.starts_with(kLoopback)) {
        auto& address = reinterpret_cast<sockaddr_in&>(storage_);
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(kLoopback.size()))));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        size_ = sizeof address;
        return;
    }
    auto& address = reinterpret_cast<sockaddr_un&>(storage_);
    if (text.size() >= sizeof address.sun_path) {
        throw Failure{"the path " + text + " is too long for a Unix socket; set TMPDIR to a shorter folder"};
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, text.data(), text.size());
    size_ = sizeof address;
}

SocketAddress::SocketAddress(int fd) : size_(sizeof storage_) {
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage_), &size_) != 0)
        throw Failure{"getsockname failed: " + std::string{std::strerror(errno)}};
}

std::string SocketAddress::text() const {
    if (family() == AF_UNIX) return reinterpret_cast<sockaddr_un const&>(storage_).sun_path;
    auto const port = ntohs(reinterpret_cast<sockaddr_in const&>(storage_).sin_port);
    return std::string{kLoopback} + std::to_string(port);
}

}  // namespace gazellemq::perf
