#include "Listener.hpp"

#include <fcntl.h>

#include <chrono>
#include <stdexcept>

#include <boost/asio/ip/v6_only.hpp>
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
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    url_.port = acceptor_.local_endpoint().port();
}

asio::awaitable<void> Listener::run(std::function<void(std::shared_ptr<transport::Stream>)> onStream,
                                    std::function<void(std::string const&)> onProblem) {
    auto lastTold = std::chrono::steady_clock::time_point{};
    while (acceptor_.is_open()) {
        error_code error;
        auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (!error) {
            onStream(transport::makeTcpStream(std::move(socket)));
            continue;
        }
        if (!acceptor_.is_open() || error == asio::error::operation_aborted) break;
        if (error == asio::error::connection_aborted) continue;
        auto const now = std::chrono::steady_clock::now();
        if (now - lastTold > kTellEvery) {
            lastTold = now;
            onProblem("cannot accept on " + url_.toString() + ": " + error.message());
        }
        pause_.expires_after(kPauseWithoutDescriptors);
        co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
}

void Listener::close() {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
}

}  // namespace gazellemq::hub
