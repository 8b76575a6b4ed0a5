#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <thread>

#include "Daemon.hpp"
#include "Log.hpp"
#include "Options.hpp"
#include "PidFile.hpp"
#include "ServiceManager.hpp"
#include "StatisticsLine.hpp"

namespace {

using namespace gazellemq::hub;

/// Whoever closes the pipe that our output goes to does not end the hub. A standard descriptor that is not open at all would be given to
/// the next socket, and the log would be written to a client.
void protectOutput() {
    std::signal(SIGPIPE, SIG_IGN);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", O_RDWR);  // takes the lowest free number: this one
    }
}

/// Takes the signals that are blocked in every thread, on a thread of its own: the first SIGTERM or SIGINT drains, the second stops
/// at once; SIGUSR1 reopens the log, SIGUSR2 writes the statistics to it. Ends with its scope.
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
        Log::write(LogLevel::info, "signal " + std::to_string(first) + ": draining; a second signal stops at once");
        notifyServiceManager("STOPPING=1");
        server_.drain();
        auto const second = next();
        if (ended_) return;
        Log::write(LogLevel::warning, "signal " + std::to_string(second) + ": stopping at once");
        server_.stopNow();
    }

    /// The next signal to stop.
    int next() const {
        for (;;) {
            int signal = 0;
            sigwait(&signals_, &signal);
            if (signal == SIGUSR1) {
                Log::reopen();
                Log::write(LogLevel::info, "the log file was opened anew");
            } else if (signal == SIGUSR2) {
                Log::write(LogLevel::info, statisticsLine(server_.stats()));
            } else {
                return signal;
            }
        }
    }

    sigset_t const signals_;
    Server& server_;
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

int run(Options options) {
    sigset_t signals;
    sigemptyset(&signals);
    for (auto const signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    options.server.log = Log::write;
    if (options.checkConfig) {
        Server const checked{std::move(options.server)};
        std::puts("gazelle-hub: the configuration is good");
        return 0;
    }
    std::optional<Daemon> daemon;
    if (options.daemon) daemon.emplace();
    Server server{std::move(options.server)};
    std::optional<PidFile> pidFile;
    if (!options.pidFile.empty()) pidFile.emplace(options.pidFile);
    Log const log{options.log};
    server.start();
    std::string ready = "gazelle-hub is ready on";
    for (auto const& url : server.urls()) ready += " " + url;
    std::puts(ready.c_str());
    std::fflush(stdout);
    Log::write(LogLevel::info, ready);
    if (daemon) daemon->ready();
    notifyServiceManager("READY=1\nMAINPID=" + std::to_string(::getpid()));

    {
        SignalWatch const watch{signals, server};
        Watchdog const watchdog{[&server] { server.stats(); }};
        server.wait();
    }
    Log::write(LogLevel::info, "stopped");
    return 0;
}

int fail(std::exception const& error, int exitCode) {
    std::fprintf(stderr, "gazelle-hub: %s\n", error.what());
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
