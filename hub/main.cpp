#include <csignal>
#include <cstdio>
#include <exception>
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

/// SIGTERM and SIGINT are blocked in every thread and taken here: the first drains, the second stops at once.
void watchSignals(sigset_t const& signals, Server& server) {
    int signal = 0;
    sigwait(&signals, &signal);
    spdlog::info("signal {}: draining; a second signal stops at once", signal);
    server.drain();
    sigwait(&signals, &signal);
    spdlog::warn("signal {}: stopping at once", signal);
    server.stopNow();
}

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

    std::thread{watchSignals, signals, std::ref(server)}.detach();
    server.wait();
    spdlog::info("stopped");
    spdlog::shutdown();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    auto parsed = parseOptions(argc, argv);
    if (!parsed.run) return parsed.exitCode;
    try {
        return run(std::move(parsed.options));
    } catch (std::exception const& error) {
        std::fprintf(stderr, "gazelle-hub: %s\n", error.what());
        spdlog::shutdown();
        return 1;
    }
}
