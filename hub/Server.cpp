#include "gazellemq/hub/Server.hpp"

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "Admin.hpp"
#include "Catalog.hpp"
#include "Clock.hpp"
#include "Connection.hpp"
#include "DataDir.hpp"
#include "Listener.hpp"
#include "LogBudget.hpp"
#include "TopicName.hpp"
#include "Url.hpp"
#include "Version.hpp"

namespace gazellemq::hub {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using boost::system::error_code;

constexpr auto kTickInterval = 250ms;
/// Confirms that are not urgent wait so long for company.
constexpr auto kShortTickInterval = 2ms;
/// Longer times could overflow a clock when added to it.
constexpr auto kLongest = 1000h;

protocol::Id randomId() {
    std::random_device source;
    protocol::Id id;
    for (auto& byte : id) byte = static_cast<std::byte>(source());
    return id;
}

/// Peers choose some of the words (names, reasons): they can neither forge a line, nor steer a terminal, nor fill a disk.
std::string toLogLine(std::string_view text, std::size_t maxBytes) {
    std::string line{text.substr(0, maxBytes)};
    for (auto& c : line) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    }
    return line;
}

void require(bool good, std::string const& what) {
    if (!good) throw std::invalid_argument(what);
}

void check(ServerOptions const& options) {
    auto const& limits = options.limits;
    require(!options.listen.empty(), "listen: at least one address is needed, such as tcp://127.0.0.1:5875");
    require(limits.windowBytes >= 64 * 1024, "windowBytes (--window-bytes) must be at least 64 KB");
    require(limits.retainBytes <= limits.windowBytes, "retainBytes (--retain-bytes) must be at most windowBytes (--window-bytes)");
    require(limits.maxPartitions >= 1 && limits.maxPartitions <= 65535, "maxPartitions (--max-partitions) must be 1 to 65535");
    require(limits.maxMemory >= limits.windowBytes, "maxMemory (--max-memory) must be at least windowBytes (--window-bytes)");
    require(limits.maxPayloadBytes >= 1 && limits.maxPayloadBytes <= 1024 * 1024 * 1024,
            "maxPayloadBytes (--max-payload-bytes) must be 1 byte to 1 GB");
    require(limits.maxTopicBytes >= 1 && limits.maxTopicBytes <= protocol::kMaxTopicBytes,
            "maxTopicBytes (--max-topic-bytes) must be 1 to " + std::to_string(protocol::kMaxTopicBytes));
    require(limits.maxUnconfirmedBytes >= 64 * 1024, "maxUnconfirmedBytes (--max-unconfirmed-bytes) must be at least 64 KB");
    require(limits.maxConnections >= 1, "maxConnections (--max-connections) must be at least 1");
    require(limits.maxConnectionsPerAddress >= 1, "maxConnectionsPerAddress (--max-connections-per-address) must be at least 1");
    require(options.maxLogLineBytes >= 100, "maxLogLineBytes (--max-log-line-bytes) must be at least 100");
    require(options.maxLogLinesPerSecond >= 1, "maxLogLinesPerSecond (--max-log-lines-per-second) must be at least 1");
    require(limits.slowWildcard != SlowPolicy::block, "slowWildcard (--slow-wildcard) must be dropOldest, disconnect or conflate");
    require(limits.maxControlBytes >= 64 * 1024, "maxControlBytes (--max-control-bytes) must be at least 64 KB");
    require(limits.heartbeat >= 100ms && limits.heartbeat <= 1h, "heartbeat (--heartbeat) must be 100 ms to 1 hour");
    require(limits.handshakeTimeout >= 10ms && limits.handshakeTimeout <= kLongest,
            "handshakeTimeout (--handshake-timeout) must be 10 ms to 1000 hours");
    require(limits.stallLimit >= 10ms && limits.stallLimit <= kLongest, "stallLimit (--stall-limit) must be 10 ms to 1000 hours");
    require(limits.idleTopicTtl >= 0ms && limits.idleTopicTtl <= kLongest,
            "idleTopicTtl (--idle-topic-ttl) must be 0 ms to 1000 hours");
    require(options.drainLimit >= 0ms && options.drainLimit <= kLongest, "drainLimit (--drain-limit) must be 0 ms to 1000 hours");
    for (auto const& text : options.listen) {
        auto const url = transport::Url::parse(text);
        require(url.has_value(), "listen: '" + text + "' is not a URL to listen on: give " + std::string{transport::kUrlForms});
    }
}

}  // namespace

/// Everything below runs on the hub's thread, except what posts to it.
class Server::Impl {
  public:
    explicit Impl(ServerOptions options) : options_(std::move(options)) { check(options_); }

    ~Impl() {
        stopNow();
        if (thread_.joinable()) thread_.join();
    }

    void start() {
        broker_.setNow(readClocks());
        if (!options_.dataDir.empty()) openCatalog();
        admin_.emplace(broker_, catalog_.get());
        broker_.setAdmin(*admin_);
        if (catalog_) {
            for (auto const& problem : admin_->restore(catalog_->load())) log(LogLevel::error, problem);
        }
        for (auto const& text : options_.listen) {
            auto& listener = *listeners_.emplace_back(std::make_unique<Listener>(loop_, *transport::Url::parse(text), options_.insecure));
            urls_.push_back(listener.url().toString());
        }
        for (auto const& listener : listeners_) {
            asio::co_spawn(
                loop_,
                listener->run([this](std::shared_ptr<transport::Stream> stream) { serve(std::move(stream)); },
                              [this](std::string const& problem) { log(LogLevel::error, problem); }),
                asio::detached);
        }
        startTick();
        running_ = true;
        thread_ = std::thread([this] {
            loop_.run();
            std::lock_guard const lock{mutex_};
            running_ = false;
            ended_.notify_all();
        });
    }

    void drain() {
        post([this] {
            if (broker_.draining()) return;
            log(LogLevel::info, "draining: " + std::to_string(broker_.sessionCount()) + " connections");
            for (auto const& listener : listeners_) listener->close();
            broker_.drain();
            armShortTick();
            drainTimer_.expires_after(options_.drainLimit);
            drainTimer_.async_wait([this](error_code error) {
                if (error) return;
                log(LogLevel::warning, "the drain limit has passed, " + std::to_string(broker_.sessionCount()) + " connections are cut");
                broker_.endDrain();
                flush();
                finish();
            });
            if (broker_.drained()) finish();
        });
    }

    void stopNow() {
        post([this] { finish(); });
        wait();
    }

    void wait() {
        std::unique_lock lock{mutex_};
        ended_.wait(lock, [this] { return !running_; });
    }

    std::vector<std::string> const& urls() const { return urls_; }

    ServerStats stats() {
        std::promise<ServerStats> promise;
        auto future = promise.get_future();
        if (!post([&] { promise.set_value(readStats()); })) return {};
        while (future.wait_for(10ms) != std::future_status::ready) {
            std::lock_guard const lock{mutex_};
            if (!running_) return {};
        }
        return future.get();
    }

  private:
    void openCatalog() {
        dataDir_ = std::make_unique<DataDir>(options_.dataDir);
        auto const file = dataDir_->path() / "catalog.db";
        if (options_.resetCatalog) Catalog::setAside(file);
        catalog_ = std::make_unique<Catalog>(file, [this](std::function<void()> work) {
            asio::post(loop_, [this, work = std::move(work)] {
                broker_.setNow(readClocks());
                work();
            });
        });
    }

    /// False if the hub does not run (any more).
    bool post(std::function<void()> work) {
        std::lock_guard const lock{mutex_};
        if (!running_) return false;
        asio::post(loop_, std::move(work));
        return true;
    }

    void serve(std::shared_ptr<transport::Stream> stream) {
        broker_.setNow(readClocks());
        auto address = stream->peerAddress();
        auto connection = std::make_shared<Connection>(loop_, broker_, std::move(stream));
        auto& session = connection->session();
        log(LogLevel::debug, "connection from " + session.peer());
        if (auto const refusal = admit(address); refusal != Error::ok) {
            address.clear();
            session.fail(refusal, describe(refusal));
        }
        connections_.emplace(&session, Served{connection, std::move(address)});
        asio::co_spawn(loop_, connection->run(), [this, connection](std::exception_ptr problem) {
            ended(*connection, problem);
        });
    }

    /// Counts a newcomer in, or says why not: it is told and its connection ends.
    Error admit(std::string const& address) {
        if (admitted_ >= options_.limits.maxConnections) return Error::tooManyConnections;
        auto& fromThere = perAddress_[address];
        if (fromThere >= options_.limits.maxConnectionsPerAddress) return Error::tooManyConnectionsFromAddress;
        ++fromThere;
        ++admitted_;
        return Error::ok;
    }

    void leave(std::string const& address) {
        if (address.empty()) return;
        --admitted_;
        auto const at = perAddress_.find(address);
        if (--at->second == 0) perAddress_.erase(at);
    }

    void ended(Connection& connection, std::exception_ptr problem) {
        auto& session = connection.session();
        auto line = "client '" + session.clientName() + "' at " + session.peer() + " disconnected";
        if (session.endCode() != Error::ok) line += ": " + std::string{nameOf(session.endCode())} + ": " + session.endReason();
        if (problem) line += ": internal error";
        log(session.endCode() == Error::ok && !problem ? LogLevel::info : LogLevel::warning, line);
        connection.abandon();
        auto const at = connections_.find(&session);
        leave(at->second.address);
        connections_.erase(at);
        broker_.close(session);
        if (broker_.draining() && broker_.drained()) finish();
    }

    /// Writes to everyone who has something to be written; posted behind the handlers of all sockets that were ready, so that what
    /// they bring leaves together.
    void flush() {
        for (auto* session : broker_.takeAwake()) {
            if (auto const at = connections_.find(session); at != connections_.end()) at->second.connection->write();
        }
        if (broker_.wantsShortTick()) armShortTick();
    }

    void armShortTick() {
        if (std::exchange(shortTickArmed_, true)) return;
        shortTimer_.expires_after(kShortTickInterval);
        shortTimer_.async_wait([this](error_code error) {
            shortTickArmed_ = false;
            if (error) return;
            broker_.setNow(readClocks());
            broker_.shortTick();
            if (broker_.wantsShortTick()) armShortTick();
        });
    }

    void startTick() {
        tickTimer_.expires_after(kTickInterval);
        tickTimer_.async_wait([this](error_code error) {
            if (error) return;
            broker_.setNow(readClocks());
            broker_.tick();
            tellMemory();
            tellLeftOut();
            if (broker_.wantsShortTick()) armShortTick();
            startTick();
        });
    }

    void finish() {
        for (auto const& listener : listeners_) listener->close();
        for (auto const& [session, served] : connections_) served.connection->cut();
        loop_.stop();
    }

    ServerStats readStats() {
        auto const& counters = broker_.counters();
        return {counters.messagesIn, counters.messagesOut,         counters.dropped.total(),
                counters.bytesIn,    counters.bytesOut,            broker_.sessionCount(),
                broker_.subscriptionCount(), broker_.topicCount(), broker_.pool().bytesInUse()};
    }

    void log(LogLevel level, std::string_view line) {
        if (!options_.log || !logBudget_.take(readClocks().steadyMs)) return;
        options_.log(level, toLogLine(line, options_.maxLogLineBytes));
    }

    void tellMemory() {
        auto const isShort = broker_.memoryIsShort();
        if (std::exchange(memoryWasShort_, isShort) == isShort) return;
        log(isShort ? LogLevel::warning : LogLevel::info,
            "message buffers hold " + std::to_string(broker_.pool().bytesInUse()) + " of " + std::to_string(options_.limits.maxMemory) +
                " bytes (--max-memory): " + (isShort ? "publishers wait for slow readers" : "publishers go on"));
    }

    void tellLeftOut() {
        auto const lines = logBudget_.takeLeftOut(readClocks().steadyMs);
        if (lines > 0 && options_.log) {
            options_.log(LogLevel::warning, std::to_string(lines) + " lines were left out of the log (--max-log-lines-per-second)");
        }
    }

    struct Served {
        std::shared_ptr<Connection> connection;
        std::string address;  // empty: it was turned away
    };

    ServerOptions const options_;
    asio::io_context loop_{1};  // before all that lives on it
    Broker broker_{options_.limits, protocol::BufferPool::create(), randomId(), [this] { asio::post(loop_, [this] { flush(); }); }};
    std::unique_ptr<DataDir> dataDir_;
    std::unique_ptr<Catalog> catalog_;
    std::optional<Admin> admin_;
    std::unordered_map<Session*, Served> connections_;
    std::unordered_map<std::string, std::size_t> perAddress_;  // connections admitted
    std::size_t admitted_ = 0;
    LogBudget logBudget_{options_.maxLogLinesPerSecond};
    std::vector<std::unique_ptr<Listener>> listeners_;
    asio::steady_timer tickTimer_{loop_};
    asio::steady_timer shortTimer_{loop_};
    asio::steady_timer drainTimer_{loop_};
    bool shortTickArmed_ = false;
    bool memoryWasShort_ = false;
    std::vector<std::string> urls_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool running_ = false;
};

Server::Server(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Server::~Server() = default;
void Server::start() { impl_->start(); }
std::vector<std::string> const& Server::urls() const { return impl_->urls(); }
std::uint16_t Server::port() const { return impl_->urls().empty() ? std::uint16_t{0} : transport::Url::parse(impl_->urls().front())->port; }
void Server::drain() { impl_->drain(); }
void Server::wait() { impl_->wait(); }
void Server::stop() {
    impl_->drain();
    impl_->wait();
}
void Server::stopNow() { impl_->stopNow(); }
ServerStats Server::stats() const { return impl_->stats(); }

}  // namespace gazellemq::hub
