#include "Listener.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gazellemq::hub {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr auto kPauseWithoutDescriptors = 100ms;
constexpr auto kTellEvery = 1s;
/// Who waits is let in together before the others have their turn: when the queue overflows, TCP lets a newcomer wait for a second.
constexpr int kAcceptsPerTurn = 64;
constexpr unsigned kDefaultMode = 0600;

[[noreturn]] void fail(transport::Url const& url, std::string const& why) {
    throw std::runtime_error("cannot listen on " + url.toString() + ": " + why);
}

Tcp::endpoint resolve(asio::io_context& loop, transport::Url const& url) {
    error_code error;
    if (url.host == "localhost") return {asio::ip::address_v4::loopback(), url.port};
    if (auto const address = asio::ip::make_address(url.host, error); !error) return {address, url.port};
    auto const found = Tcp::resolver{loop}.resolve(url.host, std::to_string(url.port), Tcp::resolver::passive, error);
    if (error || found.empty()) fail(url, "the name is not known (" + error.message() + "): give an address such as 127.0.0.1");
    return found.begin()->endpoint();
}

}  // namespace

Listener::Listener(asio::io_context& loop, transport::Url url, bool insecure)
    : url_(std::move(url)), acceptor_(loop), pause_(loop) {
    if (url_.isUnix()) {
        listenOnUnix();
    } else {
        listenOnTcp(loop, insecure);
    }
    acceptor_.non_blocking(true);
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
}

Listener::~Listener() { close(); }

void Listener::listenOnTcp(asio::io_context& loop, bool insecure) {
    auto const endpoint = resolve(loop, url_);
    if (!endpoint.address().is_loopback() && !insecure) {
        fail(url_, "it is not a loopback address and there are no credentials yet, so anybody could read and write; "
                   "give --insecure if that is meant");
    }
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address{true}, error);
    if (!error && endpoint.address().is_v6()) acceptor_.set_option(asio::ip::v6_only{true}, error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error == asio::error::address_in_use) fail(url_, "the port is in use: stop the other hub, or give another port (0 = any free one)");
    if (error == asio::error::access_denied) fail(url_, "permission denied: ports below 1024 need root; give a higher one");
    if (error) fail(url_, error.message());
    Tcp::endpoint bound;
    auto const local = acceptor_.local_endpoint();
    bound.resize(local.size());
    std::memcpy(bound.data(), local.data(), local.size());
    url_.port = bound.port();
}

void Listener::listenOnUnix() {
    removeStaleFile();
    auto const mode = static_cast<mode_t>(url_.mode.value_or(kDefaultMode));
    asio::local::stream_protocol::endpoint const endpoint{url_.path};
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    // The file is made with these permissions less the umask, so it is never open wider than asked; chmod then gives all of them.
    if (!error) ::fchmod(acceptor_.native_handle(), mode);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error && ::chmod(url_.path.c_str(), mode) != 0) error = {errno, boost::system::system_category()};
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) fail(url_, error.message() + ": check that the directory exists and can be written");
    struct stat file {};
    ::stat(url_.path.c_str(), &file);
    fileDevice_ = file.st_dev;
    fileInode_ = file.st_ino;
}

/// A socket file that nobody answers on was left by a hub that was killed.
void Listener::removeStaleFile() const {
    struct stat file {};
    if (::lstat(url_.path.c_str(), &file) != 0) return;
    if (!S_ISSOCK(file.st_mode)) fail(url_, "the file exists and is not a socket: give another path, or remove it");
    asio::io_context loop;
    asio::local::stream_protocol::socket probe{loop};
    error_code error;
    probe.connect({url_.path}, error);
    if (!error) fail(url_, "another process serves this socket: stop it, or give another path");
    if (error != asio::error::connection_refused) fail(url_, error.message());
    ::unlink(url_.path.c_str());
}

asio::awaitable<void> Listener::run(std::function<void(std::shared_ptr<transport::Stream>)> onStream,
                                    std::function<void(std::string const&)> onProblem) {
    auto lastTold = std::chrono::steady_clock::time_point{};
    while (acceptor_.is_open()) {
        error_code error;
        auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
        for (int left = kAcceptsPerTurn; !error; socket = acceptor_.accept(error)) {
            onStream(transport::makeStream(std::move(socket)));
            if (--left == 0) break;
        }
        if (!error || error == asio::error::would_block) continue;
        if (!acceptor_.is_open() || error == asio::error::operation_aborted) break;
        if (error == asio::error::connection_aborted) continue;
        auto const now = std::chrono::steady_clock::now();
        if (now - lastTold > kTellEvery) {
            lastTold = now;
            onProblem("cannot accept on " + url_.toString() + ": " + error.message() + ": newcomers are turned away");
        }
        if (error == asio::error::no_descriptors) {
            // Linux says so even when nobody waits.
            auto const away = spare_.turnAway(acceptor_.native_handle());
            if (away == SpareDescriptor::Away::nobodyWaits) {
                co_await acceptor_.async_wait(Acceptor::wait_read, asio::redirect_error(asio::use_awaitable, error));
            }
            if (away != SpareDescriptor::Away::failed) continue;
        }
        pause_.expires_after(kPauseWithoutDescriptors);
        co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
}

void Listener::close() {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    // Only the file that is ours: another hub may have taken the path.
    struct stat file {};
    auto const inode = std::exchange(fileInode_, 0);
    if (inode != 0 && ::stat(url_.path.c_str(), &file) == 0 && file.st_ino == inode && file.st_dev == fileDevice_) {
        ::unlink(url_.path.c_str());
    }
}

}  // namespace gazellemq::hub
