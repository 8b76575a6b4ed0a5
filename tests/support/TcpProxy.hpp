#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace gazellemq::test {

/// A bad network between clients and a hub: relays TCP connections to a port of 127.0.0.1, and cuts, freezes, splits and drips
/// them as told. Runs on a thread of its own; every function may be called from any thread and has taken effect when it returns.
class TcpProxy {
  public:
    explicit TcpProxy(std::uint16_t target);
    ~TcpProxy();
    TcpProxy(TcpProxy const&) = delete;
    TcpProxy& operator=(TcpProxy const&) = delete;

    std::uint16_t port() const { return port_; }
    std::string url() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

    /// Resets every connection.
    void cut();
    /// Resets the connection that brings the hub so many more bytes, at that byte.
    void cutToHubAfter(std::uint64_t bytes);
    /// The same for bytes to a client.
    void cutToClientAfter(std::uint64_t bytes);
    /// Keeps all connections, and takes new ones, but forwards nothing.
    void freeze();
    /// Forwards nothing to the hub any more; what the hub sends arrives.
    void freezeToHub();
    /// The other way round.
    void freezeToClient();
    void thaw();
    /// Each send to a client has so many bytes.
    void dripToClient(std::size_t bytes);
    /// Lets so many more bytes through to a client, and the rest after a pause.
    void holdToClientAfter(std::uint64_t bytes, std::chrono::milliseconds pause);

    std::size_t accepted() const { return accepted_; }
    std::uint64_t bytesToClient() const { return toClient_.bytes; }
    std::uint64_t bytesToHub() const { return toHub_.bytes; }

  private:
    using Tcp = boost::asio::ip::tcp;
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    struct Direction {
        std::size_t portion = std::numeric_limits<std::size_t>::max();
        std::uint64_t cutAfter = kNever;
        std::uint64_t holdAfter = kNever;
        std::chrono::milliseconds holdFor{};
        bool frozen = false;
        std::atomic<std::uint64_t> bytes{0};
    };
    struct Pair {
        Tcp::socket client;
        Tcp::socket hub;
        void reset();
    };
    using PairRef = std::shared_ptr<Pair>;

    boost::asio::awaitable<void> accept();
    boost::asio::awaitable<void> serve(PairRef pair);
    boost::asio::awaitable<void> relay(PairRef pair, Tcp::socket& from, Tcp::socket& to, Direction& direction);
    boost::asio::awaitable<bool> forward(Pair& pair, Tcp::socket& to, Direction& direction, std::string_view bytes);
    boost::asio::awaitable<void> untilThawed(Direction const& direction);
    void onThread(std::function<void()> work);

    boost::asio::io_context io_{1};
    Tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
    boost::asio::steady_timer thawed_{io_, std::chrono::steady_clock::time_point::max()};  // never expires, only cancelled
    std::uint16_t const target_;
    std::uint16_t const port_;
    Direction toClient_;
    Direction toHub_;
    std::vector<std::weak_ptr<Pair>> pairs_;
    std::atomic<std::size_t> accepted_{0};
    std::thread thread_;
};

}  // namespace gazellemq::test
