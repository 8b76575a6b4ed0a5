#include "RawClient.hpp"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gazellemq::test {
namespace {

template <typename T>
void setOption(int fd, int level, int name, T const& value) {
    ::setsockopt(fd, level, name, &value, sizeof value);
}

[[noreturn]] void fail(std::string const& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

}  // namespace

RawClient::RawClient(std::uint16_t port, int receiveBufferBytes) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (fd_ < 0) fail("no socket");
    if (receiveBufferBytes > 0) setOption(fd_, SOL_SOCKET, SO_RCVBUF, receiveBufferBytes);
    setOption(fd_, IPPROTO_TCP, TCP_NODELAY, 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connectTo(reinterpret_cast<sockaddr const*>(&address), sizeof address, "port " + std::to_string(port));
}

RawClient::RawClient(std::string const& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (fd_ < 0) fail("no socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connectTo(reinterpret_cast<sockaddr const*>(&address), sizeof address, path);
}

void RawClient::connectTo(sockaddr const* address, socklen_t size, std::string const& name) {
    timeval const patience{kPatience.count() / 1000, 0};
    setOption(fd_, SOL_SOCKET, SO_SNDTIMEO, patience);
    setOption(fd_, SOL_SOCKET, SO_RCVTIMEO, patience);
    if (::connect(fd_, address, size) != 0) {
        auto const error = errno;
        ::close(fd_);
        errno = error;
        fail("cannot connect to " + name);
    }
}

void RawClient::setReceiveBuffer(int bytes) { setOption(fd_, SOL_SOCKET, SO_RCVBUF, bytes); }

RawClient::~RawClient() {
    if (fd_ >= 0) ::close(fd_);
}

Bytes RawClient::magic() {
    Bytes bytes;
    for (auto const byte : protocol::kMagic) bytes.push_back(std::byte{byte});
    return bytes;
}

Bytes RawClient::greeting(std::string_view clientName, std::uint32_t heartbeatMs) {
    auto bytes = magic();
    protocol::Hello hello;
    hello.clientName = clientName;
    hello.heartbeatMs = heartbeatMs;
    append(bytes, encoded(hello));
    return bytes;
}

bool RawClient::send(protocol::ByteView bytes) {
    while (!bytes.empty()) {
        auto const n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

bool RawClient::sendByteByByte(protocol::ByteView bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (!send(bytes.subspan(i, 1))) return false;
    }
    return true;
}

bool RawClient::arrived() const {
    int unacknowledged = 0;
    return ::ioctl(fd_, SIOCOUTQ, &unacknowledged) == 0 && unacknowledged == 0;
}

bool RawClient::greet(std::string_view clientName, std::uint32_t heartbeatMs) {
    return send(greeting(clientName, heartbeatMs)) && waitFor<protocol::Welcome>();
}

/// `timeout`: none came.
Error RawClient::replyTo(std::uint32_t request) {
    auto reply = transcript_.last<protocol::Reply>();
    auto const came = readUntil([&] {
        reply = transcript_.last<protocol::Reply>();
        return reply && reply->requestId == request;
    });
    return came ? reply->code : Error::timeout;
}

Error RawClient::open(std::uint32_t handle, std::string_view topic) {
    sendFrame(protocol::OpenTopic{++requests_, handle, topic});
    auto const error = replyTo(requests_);
    if (error == Error::ok && !waitForConfirm(handle, 0)) return Error::timeout;
    return error;
}

Error RawClient::subscribe(std::uint32_t id, std::string_view pattern, std::uint64_t credit) {
    sendFrame(protocol::Subscribe{++requests_, id, credit, pattern});
    return replyTo(requests_);
}

Error RawClient::unsubscribe(std::uint32_t id) {
    sendFrame(protocol::Unsubscribe{++requests_, id});
    return replyTo(requests_);
}

Bytes RawClient::publishBytes(std::uint32_t handle, std::vector<std::string> const& payloads) {
    auto const first = sequences_[handle] + 1;
    sequences_[handle] += payloads.size();
    return publishFrame(handle, makeBatch(payloads, first));
}

bool RawClient::publish(std::uint32_t handle, std::vector<std::string> const& payloads) {
    return send(publishBytes(handle, payloads));
}

bool RawClient::readSome(std::size_t most) {
    std::vector<std::byte> room(most);
    ssize_t n = 0;
    do {
        n = ::recv(fd_, room.data(), room.size(), 0);
    } while (n < 0 && errno == EINTR);
    if (n <= 0) {
        if (n == 0) end_ = End::closed;
        else if (errno == ECONNRESET || errno == EPIPE) end_ = End::reset;
        return false;
    }
    receivedBytes_ += static_cast<std::size_t>(n);
    transcript_.take({room.data(), static_cast<std::size_t>(n)});
    for (; answersPings && answered_ < transcript_.entries().size(); ++answered_) {
        auto const& entry = transcript_.entries()[answered_];
        if (entry.type != protocol::FrameType::ping) continue;
        sendFrame(protocol::Pong{protocol::decode<protocol::Ping>(entry.body).value().token});
    }
    return true;
}

bool RawClient::waitForMessages(std::size_t count) {
    return readUntil([&] { return transcript_.messages().size() >= count; });
}

bool RawClient::waitForConfirm(std::uint32_t handle, std::uint64_t sequence) {
    return readUntil([&] {
        for (auto const& confirm : transcript_.all<protocol::Confirm>()) {
            if (confirm.handle == handle && confirm.sequence >= sequence) return true;
        }
        return false;
    });
}

std::optional<Error> RawClient::waitForGoodbye() {
    waitForEnd();
    auto const goodbye = transcript_.last<protocol::Goodbye>();
    return goodbye ? std::optional{goodbye->code} : std::nullopt;
}

RawClient::End RawClient::waitForEnd() {
    readUntil([] { return false; });
    return end_;
}

bool RawClient::readable(std::chrono::milliseconds time) const {
    pollfd wait{fd_, POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(time.count())) > 0;
}

void RawClient::finishSending() { ::shutdown(fd_, SHUT_WR); }

void RawClient::reset() {
    setOption(fd_, SOL_SOCKET, SO_LINGER, linger{1, 0});
    ::close(fd_);
    fd_ = -1;
}

std::uint16_t RawClient::localPort() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

}  // namespace gazellemq::test
