// A program that uses Boost.Asio and exceptions itself while hub, publisher and subscriber use theirs.
#include <chrono>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <PublisherClient.hpp>
#include <SubscriberClient.hpp>
#include <gazellemq/hub/Server.hpp>

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using namespace gazellemq;

void require(bool good, char const* what) {
    if (!good) throw std::logic_error(what);
}

struct OwnException : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Exceptions of the library reach the program as the types they are.
void refuseAServerWithoutAddress() {
    hub::ServerOptions options;
    options.listen.clear();
    try {
        hub::Server{std::move(options)};
    } catch (std::invalid_argument const&) {
        return;
    }
    require(false, "no exception came out of the hub");
}

/// Timer, socket and an exception through io_context::run, all of the program's own Asio.
void useOwnAsio(std::uint16_t port) {
    asio::io_context loop;
    asio::steady_timer timer{loop, 1ms};
    asio::ip::tcp::socket socket{loop};
    bool fired = false;
    bool connected = false;
    timer.async_wait([&](boost::system::error_code error) { fired = !error; });
    socket.async_connect({asio::ip::address_v4::loopback(), port}, [&](boost::system::error_code error) { connected = !error; });
    loop.run();
    require(fired && connected, "the program's own Asio does not work");

    loop.restart();
    asio::post(loop, [] { throw boost::system::system_error(Error::closed); });
    try {
        loop.run();
        require(false, "the exception was lost");
    } catch (boost::system::system_error const& error) {
        require(error.code() == Error::closed, "the exception changed");
    }
}

void run() {
    refuseAServerWithoutAddress();
    hub::ServerOptions options;
    options.listen = {"tcp://127.0.0.1:0"};
    hub::Server server{std::move(options)};
    server.start();
    useOwnAsio(server.port());

    std::promise<void> arrived;
    std::promise<std::string> reported;
    client::SubscriberClient subscriber;
    subscriber.onError([&](Error, std::string_view reason) { reported.set_value(std::string{reason}); });
    subscriber.subscribe("topic", [&](client::Message const&) {
        arrived.set_value();
        throw OwnException("thrown in a callback");
    });
    subscriber.connectToHub("subscriber", server.urls().front());
    require(subscriber.waitUntilSubscribed(10s) == Error::ok, "not subscribed");

    client::PublisherClient publisher;
    publisher.connectToHub("publisher", server.urls().front());
    publisher.publish("topic", "payload");
    std::thread ownAsio{[port = server.port()] { useOwnAsio(port); }};
    auto const flushed = publisher.flush(10s);
    ownAsio.join();
    require(flushed == Error::ok, "not confirmed");
    require(arrived.get_future().wait_for(10s) == std::future_status::ready, "not delivered");
    auto reason = reported.get_future();
    require(reason.wait_for(10s) == std::future_status::ready, "the callback's exception was not reported");
    require(reason.get().find("thrown in a callback") != std::string::npos, "the callback's exception was reported without its text");
}

}  // namespace

int main() {
    try {
        run();
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
