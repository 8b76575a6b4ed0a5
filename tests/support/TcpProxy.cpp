#include "TcpProxy.hpp"

#include <algorithm>
#include <future>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gazellemq::test {

namespace asio = boost::asio;
using boost::system::error_code;

TcpProxy::TcpProxy(std::uint16_t target) : target_(target), port_(acceptor_.local_endpoint().port()) {
    asio::co_spawn(io_, accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
}

TcpProxy::~TcpProxy() {
    cut();
    io_.stop();
    thread_.join();
}

void TcpProxy::onThread(std::function<void()> work) {
    std::promise<void> done;
    asio::post(io_, [&] {
        work();
        done.set_value();
    });
    done.get_future().wait();
}

void TcpProxy::Pair::reset() {
    for (auto* socket : {&client, &hub}) {
        error_code ignored;
        socket->set_option(asio::socket_base::linger{true, 0}, ignored);
        socket->close(ignored);
    }
}

void TcpProxy::cut() {
    onThread([this] {
        for (auto const& weak : pairs_) {
            if (auto const pair = weak.lock()) pair->reset();
        }
        pairs_.clear();
    });
}

void TcpProxy::cutToHubAfter(std::uint64_t bytes) {
    onThread([=, this] { toHub_.cutAfter = bytes; });
}

void TcpProxy::cutToClientAfter(std::uint64_t bytes) {
    onThread([=, this] { toClient_.cutAfter = bytes; });
}

void TcpProxy::freeze() {
    onThread([this] { toHub_.frozen = toClient_.frozen = true; });
}

void TcpProxy::freezeToHub() {
    onThread([this] { toHub_.frozen = true; });
}

void TcpProxy::freezeToClient() {
    onThread([this] { toClient_.frozen = true; });
}

void TcpProxy::thaw() {
    onThread([this] {
        toHub_.frozen = toClient_.frozen = false;
        thawed_.cancel();
    });
}

void TcpProxy::dripToClient(std::size_t bytes) {
    onThread([=, this] { toClient_.portion = bytes; });
}

void TcpProxy::holdToClientAfter(std::uint64_t bytes, std::chrono::milliseconds pause) {
    onThread([=, this] {
        toClient_.holdAfter = bytes;
        toClient_.holdFor = pause;
    });
}

asio::awaitable<void> TcpProxy::accept() {
    while (acceptor_.is_open()) {
        error_code error;
        auto client = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (error) continue;
        ++accepted_;
        auto const pair = std::make_shared<Pair>(Pair{std::move(client), Tcp::socket{io_}});
        std::erase_if(pairs_, [](auto const& weak) { return weak.expired(); });
        pairs_.push_back(pair);
        asio::co_spawn(io_, serve(pair), asio::detached);
    }
}

asio::awaitable<void> TcpProxy::serve(PairRef pair) {
    error_code error;
    while (toHub_.frozen && toClient_.frozen) co_await untilThawed(toHub_);
    co_await pair->hub.async_connect({asio::ip::address_v4::loopback(), target_}, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    for (auto* socket : {&pair->client, &pair->hub}) socket->set_option(Tcp::no_delay{true}, error);
    asio::co_spawn(io_, relay(pair, pair->client, pair->hub, toHub_), asio::detached);
    asio::co_spawn(io_, relay(pair, pair->hub, pair->client, toClient_), asio::detached);
}

asio::awaitable<void> TcpProxy::untilThawed(Direction const& direction) {
    while (direction.frozen) {
        error_code ignored;
        co_await thawed_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
}

asio::awaitable<void> TcpProxy::relay(PairRef pair, Tcp::socket& from, Tcp::socket& to, Direction& direction) {
    std::vector<char> room(64 * 1024);
    for (;;) {
        error_code error;
        co_await untilThawed(direction);
        auto const n = co_await from.async_read_some(asio::buffer(room), asio::redirect_error(asio::use_awaitable, error));
        if (error == asio::error::eof) {
            co_await untilThawed(direction);
            to.shutdown(Tcp::socket::shutdown_send, error);
            co_return;
        }
        if (error || !co_await forward(*pair, to, direction, {room.data(), n})) {
            pair->reset();
            co_return;
        }
    }
}

/// False: the connection is of no more use.
asio::awaitable<bool> TcpProxy::forward(Pair& pair, Tcp::socket& to, Direction& direction, std::string_view bytes) {
    while (!bytes.empty()) {
        error_code error;
        co_await untilThawed(direction);
        if (direction.cutAfter == 0) {
            direction.cutAfter = kNever;
            co_return false;
        }
        if (direction.holdAfter == 0) {
            direction.holdAfter = kNever;
            asio::steady_timer pause{io_, direction.holdFor};
            co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
            continue;
        }
        auto const portion = std::min<std::uint64_t>({bytes.size(), direction.portion, direction.cutAfter, direction.holdAfter});
        auto const n = co_await to.async_write_some(asio::buffer(bytes.data(), portion), asio::redirect_error(asio::use_awaitable, error));
        if (error || !pair.client.is_open()) co_return false;
        bytes.remove_prefix(n);
        direction.bytes += n;
        // Either may have been set while these bytes were being written.
        if (direction.cutAfter != kNever) direction.cutAfter -= std::min<std::uint64_t>(n, direction.cutAfter);
        if (direction.holdAfter != kNever) direction.holdAfter -= std::min<std::uint64_t>(n, direction.holdAfter);
    }
    co_return true;
}

}  // namespace gazellemq::test
