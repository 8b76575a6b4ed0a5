#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "Stream.hpp"

namespace gazellemq::transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

error_code lastError() {
    // Linux has EAGAIN == EWOULDBLOCK == asio::error::would_block.
    return {errno, boost::system::system_category()};
}

class TcpStream final : public Stream {
  public:
    explicit TcpStream(Tcp::socket socket) : socket_(std::move(socket)) {
        error_code ignored;
        socket_.non_blocking(true, ignored);
        socket_.set_option(Tcp::no_delay{true}, ignored);
        ::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
        descriptor_ = socket_.native_handle();
        auto const remote = socket_.remote_endpoint(ignored);
        auto const address = remote.address().to_string();
        protocol_ = remote.protocol();
        peer_ = (remote.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(remote.port());
    }

    ~TcpStream() override {
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

    asio::awaitable<error_code> waitReadable() override { return wait(Tcp::socket::wait_read); }
    asio::awaitable<error_code> waitWritable() override { return wait(Tcp::socket::wait_write); }

    void shutdown() override {
        ::shutdown(descriptor_, SHUT_RDWR);
        error_code ignored;
        socket_.cancel(ignored);
    }

    void shutdownWrite() override { ::shutdown(descriptor_, SHUT_WR); }

    std::string peer() const override { return peer_; }

  private:
    asio::awaitable<error_code> wait(Tcp::socket::wait_type type) {
        error_code error;
        if (!socket_.is_open()) socket_.assign(protocol_, descriptor_, error);
        if (!error) co_await socket_.async_wait(type, asio::redirect_error(asio::use_awaitable, error));
        co_return error;
    }

    Tcp::socket socket_;  // closed for Asio, but not really, while nobody watches
    Tcp protocol_ = Tcp::v4();
    int descriptor_;
    std::string peer_;
};

}  // namespace

std::shared_ptr<Stream> makeTcpStream(Tcp::socket socket) { return std::make_shared<TcpStream>(std::move(socket)); }

}  // namespace gazellemq::transport
