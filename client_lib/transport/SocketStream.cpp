#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "Stream.hpp"

namespace gazellemq::transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;

error_code lastError() {
    // Linux has EAGAIN == EWOULDBLOCK == asio::error::would_block.
    return {errno, boost::system::system_category()};
}

class SocketStream final : public Stream {
  public:
    explicit SocketStream(Socket socket) : socket_(std::move(socket)), descriptor_(socket_.native_handle()) {
        error_code ignored;
        socket_.non_blocking(true, ignored);
        ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
        auto const remote = socket_.remote_endpoint(ignored);
        protocol_ = remote.protocol();
        if (protocol_.family() == AF_UNIX) {
            describeProcess();
        } else {
            socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
            asio::ip::tcp::endpoint endpoint;
            endpoint.resize(std::min(remote.size(), endpoint.capacity()));
            std::memcpy(endpoint.data(), remote.data(), endpoint.size());
            peerAddress_ = endpoint.address().to_string();
            peer_ = (endpoint.address().is_v6() ? "[" + peerAddress_ + "]" : peerAddress_) + ":" + std::to_string(endpoint.port());
        }
    }

    ~SocketStream() override {
        if (!socket_.is_open()) ::close(descriptor_);
    }

    Count tryRead(std::span<std::byte> room) override {
        for (;;) {
            auto const n = ::recv(descriptor_, room.data(), room.size(), 0);
            if (n > 0) return static_cast<std::size_t>(n);
            if (n == 0) return error_code{asio::error::eof};
            if (errno != EINTR) return lastError();
        }
    }

    Count tryWrite(std::span<iovec const> pieces) override {
        msghdr message{};
        message.msg_iov = const_cast<iovec*>(pieces.data());
        message.msg_iovlen = std::min<std::size_t>(pieces.size(), IOV_MAX);
        for (;;) {
            auto const n = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
            if (n >= 0) return static_cast<std::size_t>(n);
            if (errno != EINTR) return lastError();
        }
    }

    bool blockUntilReadable(std::chrono::milliseconds limit) override {
        pollfd waiting{descriptor_, POLLIN, 0};
        return ::poll(&waiting, 1, static_cast<int>(limit.count())) > 0;
    }

    void stopWatching() override {
        error_code ignored;
        socket_.release(ignored);
    }

    asio::awaitable<error_code> waitReadable() override { return wait(Socket::wait_read); }
    asio::awaitable<error_code> waitWritable() override { return wait(Socket::wait_write); }

    void shutdown() override {
        ::shutdown(descriptor_, SHUT_RDWR);
        error_code ignored;
        socket_.cancel(ignored);
    }

    void shutdownWrite() override { ::shutdown(descriptor_, SHUT_WR); }

    std::string peer() const override { return peer_; }
    std::string peerAddress() const override { return peerAddress_; }

  private:
    asio::awaitable<error_code> wait(Socket::wait_type type) {
        error_code error;
        if (!socket_.is_open()) socket_.assign(protocol_, descriptor_, error);
        if (!error) co_await socket_.async_wait(type, asio::redirect_error(asio::use_awaitable, error));
        co_return error;
    }

    /// A Unix socket has no address: the process at the other end stands for it.
    void describeProcess() {
        ucred who{};
        socklen_t size = sizeof who;
        ::getsockopt(descriptor_, SOL_SOCKET, SO_PEERCRED, &who, &size);
        peerAddress_ = "uid " + std::to_string(who.uid);
        peer_ = "process " + std::to_string(who.pid) + " of uid " + std::to_string(who.uid);
    }

    Socket socket_;  // closed for Asio, but not really, while nobody watches
    int const descriptor_;
    asio::generic::stream_protocol protocol_{AF_UNIX, 0};
    std::string peer_;
    std::string peerAddress_;
};

}  // namespace

std::shared_ptr<Stream> makeStream(Socket socket) { return std::make_shared<SocketStream>(std::move(socket)); }

}  // namespace gazellemq::transport
