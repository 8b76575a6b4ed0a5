#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "Limits.hpp"

namespace gazellemq::hub {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct ServerOptions {
    /// tcp://host:port (port 0 = one chosen by the system) or unix:///path?mode=0660 (without a mode: 0600). At least one.
    std::vector<std::string> listen{"tcp://127.0.0.1:5875"};
    /// Allow addresses other than loopback. There are no credentials yet: everybody who can connect can read and write.
    bool insecure = false;
    /// Where created topics are kept; empty: nowhere, they end with the hub. One hub at a time has a directory.
    std::string dataDir{};
    /// Puts a catalog that cannot be read aside (*.bad) and begins without created topics.
    bool resetCatalog = false;
    /// How long stop() lets clients drain.
    std::chrono::milliseconds drainLimit{4000};
    Limits limits;
    std::size_t maxLogLineBytes = 1000;       ///< a longer line is cut
    std::size_t maxLogLinesPerSecond = 100;   ///< more are counted and left out
    /// Called on the hub's thread, one line without a newline. Must not block.
    std::function<void(LogLevel, std::string_view)> log;
};

/// What the hub has done so far and holds now.
struct ServerStats {
    std::uint64_t messagesIn = 0;
    std::uint64_t messagesOut = 0;
    std::uint64_t messagesDropped = 0;
    std::uint64_t bytesIn = 0;
    std::uint64_t bytesOut = 0;
    std::uint64_t connections = 0;
    std::uint64_t subscriptions = 0;
    std::uint64_t topics = 0;
    std::uint64_t bufferBytes = 0;
};

/// A hub inside this process, on a thread of its own: what gazelle-hub runs, for embedding and for tests.
///
///     gazellemq::hub::Server server{{.listen = {"tcp://127.0.0.1:0"}}};
///     server.start();
///     client.connectToHub("me", server.urls().front());
class Server {
  public:
    /// Throws std::invalid_argument naming the option that is out of range.
    explicit Server(ServerOptions options);
    /// stopNow().
    ~Server();
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    /// Listens and serves. Throws std::runtime_error naming the address that cannot be listened on, and why.
    void start();
    /// The addresses listened on, with the real ports.
    std::vector<std::string> const& urls() const;
    /// The port of the first address; 0 before start().
    std::uint16_t port() const;

    /// Begins the drain: no new clients, everything accepted is delivered, then every client is told goodbye, within
    /// drainLimit. Returns at once. Any thread.
    void drain();
    /// Waits until the hub has ended by drain() or stopNow().
    void wait();
    /// drain() and wait().
    void stop();
    /// Cuts every connection and ends.
    void stopNow();

    /// Any thread; blocks until the hub's thread answers. Zeros when it does not run.
    ServerStats stats() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gazellemq::hub
