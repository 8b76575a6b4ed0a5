#include "Connector.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "KeepLoaded.hpp"

namespace gazellemq::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::address;
using boost::system::error_code;
using Addresses = boost::system::result<std::vector<address>>;

/// Shared by the coroutine that waits and the detached thread that resolves; whichever ends last frees it.
struct Lookup {
    std::mutex mutex;
    std::function<void()> notify;  // empty once the coroutine, and perhaps its io_context, is gone
    std::optional<Addresses> addresses;
    std::atomic<bool> begun{false};  // by the thread, which may be left alone now
};

/// The coroutine's interest in a Lookup: ends with the coroutine, also a cancelled one.
class Interest {
  public:
    explicit Interest(Lookup& lookup) : lookup_(lookup) {}
    ~Interest() {
        std::lock_guard const lock{lookup_.mutex};
        lookup_.notify = nullptr;
    }

  private:
    Lookup& lookup_;
};

}  // namespace

Addresses resolveBySystem(std::string const& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (auto const code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0) {
        return error_code{code == EAI_AGAIN ? asio::error::host_not_found_try_again : asio::error::host_not_found};
    }
    std::vector<address> addresses;
    for (auto const* at = found; at; at = at->ai_next) {
        asio::ip::tcp::endpoint endpoint;
        endpoint.resize(at->ai_addrlen);
        std::memcpy(endpoint.data(), at->ai_addr, at->ai_addrlen);
        addresses.push_back(endpoint.address());
    }
    ::freeaddrinfo(found);
    return addresses;
}

namespace {

asio::awaitable<Addresses> findAddresses(std::string host, ResolveName resolveName) {
    error_code error;
    if (host == "localhost") co_return std::vector<address>{asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
    if (auto const literal = asio::ip::make_address(host, error); !error) co_return std::vector<address>{literal};

    auto const executor = co_await asio::this_coro::executor;
    auto const done = std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
    auto const lookup = std::make_shared<Lookup>();
    lookup->notify = [executor, done] { asio::post(executor, [done] { done->cancel(); }); };
    Interest const interest{*lookup};
    std::thread([lookup, host, resolveName] {
        keepLoadedUntilThreadEnds();
        lookup->begun = true;
        lookup->begun.notify_one();
        auto addresses = resolveName(host);
        std::lock_guard const lock{lookup->mutex};
        lookup->addresses = std::move(addresses);
        if (lookup->notify) lookup->notify();
    }).detach();
    lookup->begun.wait(false);
    co_await done->async_wait(asio::redirect_error(asio::use_awaitable, error));
    std::lock_guard const lock{lookup->mutex};
    co_return lookup->addresses.value_or(error_code{asio::error::operation_aborted});
}

/// Asio would open a socket that a program started meanwhile, by another thread, inherits.
template <typename Socket>
error_code open(Socket& socket, typename Socket::protocol_type protocol) {
    error_code error;
    auto const descriptor = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, protocol.protocol());
    if (descriptor < 0) return {errno, boost::system::system_category()};
    socket.assign(protocol, descriptor, error);
    if (error) ::close(descriptor);
    return error;
}

}  // namespace

asio::awaitable<boost::system::result<std::shared_ptr<Stream>>> connect(Url url, ResolveName resolveName) {
    auto const executor = co_await asio::this_coro::executor;
    error_code error;
    if (url.isUnix()) {
        asio::local::stream_protocol::socket socket{executor};
        error = open(socket, {});
        if (!error) co_await socket.async_connect({url.path}, asio::redirect_error(asio::use_awaitable, error));
        if (error) co_return error;
        co_return makeStream(std::move(socket));
    }
    auto const addresses = co_await findAddresses(url.host, std::move(resolveName));
    if (!addresses) co_return addresses.error();
    error = asio::error::host_not_found;
    for (auto const& candidate : *addresses) {
        asio::ip::tcp::endpoint const endpoint{candidate, url.port};
        asio::ip::tcp::socket socket{executor};
        error = open(socket, endpoint.protocol());
        if (!error) co_await socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error));
        // The kernel may connect a socket to itself when the port is one of its ephemeral ones and nobody listens.
        if (!error && socket.local_endpoint(error) == socket.remote_endpoint(error)) error = asio::error::connection_refused;
        if (!error) co_return makeStream(std::move(socket));
    }
    co_return error;
}

}  // namespace gazellemq::transport
