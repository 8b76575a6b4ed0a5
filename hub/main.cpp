#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "Options.hpp"

namespace {

using namespace gazellemq::hub;

constexpr std::size_t kLogQueueLines = 1024;

spdlog::level::level_enum toSpdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

/// Lines go to stderr through a thread of their own; when that falls behind the oldest lines are lost, never the hub's time.
void startLog(LogLevel level) {
    spdlog::init_thread_pool(kLogQueueLines, 1);
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    spdlog::set_default_logger(std::make_shared<spdlog::async_logger>("hub", std::move(sink), spdlog::thread_pool(),
                                                                      spdlog::async_overflow_policy::overrun_oldest));
    spdlog::set_level(toSpdlog(level));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
}

/// Whoever closes the pipe that our output goes to does not end the hub. A standard descriptor that is not open at all would be given to
/// the next socket, and the log would be written to a client.
void protectOutput() {
    std::signal(SIGPIPE, SIG_IGN);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", O_RDWR);  // takes the lowest free number: this one
    }
}

/// Takes SIGTERM and SIGINT, which are blocked in every thread, on a thread of its own: the first drains, the second stops at
/// once. Ends with its scope.
class SignalWatch {
  public:
    SignalWatch(sigset_t const& signals, Server& server)
        : signals_(signals), server_(server), thread_([this] { run(); }) {}
    ~SignalWatch() {
        ended_ = true;
        ::pthread_kill(thread_.native_handle(), SIGTERM);
        thread_.join();
    }
    SignalWatch(SignalWatch const&) = delete;
    SignalWatch& operator=(SignalWatch const&) = delete;

  private:
    void run() {
        auto const first = next();
        if (ended_) return;
        spdlog::info("signal {}: draining; a second signal stops at once", first);
        server_.drain();
        auto const second = next();
        if (ended_) return;
        spdlog::warn("signal {}: stopping at once", second);
        server_.stopNow();
    }

    int next() const {
        int signal = 0;
        sigwait(&signals_, &signal);
        return signal;
    }

    sigset_t const signals_;
    Server& server_;
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

int run(Options options) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    startLog(options.logLevel);

    options.server.log = [](LogLevel level, std::string_view line) { spdlog::log(toSpdlog(level), "{}", line); };
    Server server{std::move(options.server)};
    server.start();
    std::string ready = "gazelle-hub is ready on";
    for (auto const& url : server.urls()) ready += " " + url;
    std::puts(ready.c_str());
    std::fflush(stdout);

    {
        SignalWatch const watch{signals, server};
        server.wait();
    }
    spdlog::info("stopped");
    spdlog::shutdown();
    return 0;
}

int fail(std::exception const& error, int exitCode) {
    std::fprintf(stderr, "gazelle-hub: %s\n", error.what());
    spdlog::shutdown();
    return exitCode;
}

}  // namespace

int main(int argc, char** argv) {
    protectOutput();
    auto parsed = parseOptions(argc, argv);
    if (!parsed.run) return parsed.exitCode;
    try {
        return run(std::move(parsed.options));
    } catch (std::invalid_argument const& error) {
        return fail(error, 2);  // an option, as when parsing
    } catch (std::exception const& error) {
        return fail(error, 1);
    }
}
