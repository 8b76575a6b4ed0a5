#pragma once
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "PublisherClient.hpp"
#include "SubscriberClient.hpp"
#include "Waiting.hpp"
#include "gazellemq/hub/Server.hpp"

namespace gazellemq::test {

/// GAZELLE_TEST_TRANSPORT=unix runs the same tests over Unix sockets.
inline bool overUnix() {
    auto const* transport = std::getenv("GAZELLE_TEST_TRANSPORT");
    return transport && std::string_view{transport} == "unix";
}

/// A hub on the loopback interface, or on a Unix socket, that can be stopped and started again on its port.
class TestHub {
  public:
    explicit TestHub(hub::Limits const& limits = {}, std::string const& host = "127.0.0.1") : host_(host) {
        if (overUnix()) {
            auto folder = (std::filesystem::temp_directory_path() / "gazelle-XXXXXX").string();
            if (!::mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
            folder_ = folder;
        }
        options_.limits = limits;
        options_.log = [this](hub::LogLevel, std::string_view line) { log.add(std::string{line}); };
        start();
    }
    ~TestHub() {
        server_.reset();
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
    }

    std::string url() const { return overUnix() ? "unix://" + folder_ + "/hub.sock" : tcpUrl(); }
    std::string tcpUrl() const { return "tcp://" + host_ + ":" + std::to_string(port_); }
    std::uint16_t port() const { return port_; }
    hub::Server& server() { return *server_; }

    /// The drain, then nobody listens.
    void stop() {
        server_->stop();
        server_.reset();
    }
    /// Cuts everybody off, then nobody listens.
    void kill() { server_.reset(); }
    /// On the same port.
    void start() {
        options_.listen = {url()};
        // Between two starts another process may have got the port for a moment, for one end of a connection.
        std::string problem;
        auto const started = eventually([&] {
            try {
                server_.emplace(options_);
                server_->start();
                return true;
            } catch (std::runtime_error const& error) {
                problem = error.what();
                server_.reset();
                return false;
            }
        });
        if (!started) throw std::runtime_error(problem);
        port_ = server_->port();
    }

    Inbox<std::string> log;

  private:
    std::string const host_;
    std::string folder_;  // of the Unix socket
    std::uint16_t port_ = 0;
    hub::ServerOptions options_;
    std::optional<hub::Server> server_;
};

/// Options of clients whose hub comes and goes.
template <typename Options>
Options impatient(Options options = {}) {
    options.backoffMin = 5ms;
    options.backoffMax = 50ms;
    return options;
}

/// Options of a link on which nothing moves unless a message does: what gets stuck stays stuck.
template <typename Options>
Options silent(Options options = {}) {
    options.heartbeat = 1h;
    return options;
}

inline hub::Limits silentHub() {
    hub::Limits limits;
    limits.heartbeat = 1h;
    return limits;
}

}  // namespace gazellemq::test
