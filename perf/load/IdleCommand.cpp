#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "Crew.hpp"
#include "DescriptorLimit.hpp"
#include "Failure.hpp"
#include "HubProcess.hpp"
#include "IdleReport.hpp"
#include "Meters.hpp"
#include "Options.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kMaxConnections = 100'000;
constexpr std::uint64_t kMaxSeconds = 24 * 3600;

constexpr char const* kExamples =
    "A fresh hub, and one process that connects all clients as fast as it can: each sends its greeting and from "
    "then on only answers\n"
    "the hub's heartbeats. ready_ms is the time from the first connect to the last welcome. Then memory (VmRSS) and "
    "processor time of\n"
    "the hub are taken over --seconds; the hub asks every silent client every 5 s, so 10 s or more see its "
    "heartbeats.\n"
    "The clients are plain sockets without the SDK's threads: what they cost themselves is not measured. The exit "
    "code is 1 if one\n"
    "of them was not welcomed, or lost its connection.\n\n"
    "Examples:\n"
    "  gazelle-perf idle --connections 10000\n"
    "  gazelle-perf idle --connections 1000 --seconds 60 --transport unix --json > result.json";

struct Settings {
    std::uint64_t connections = 10'000;
    std::uint64_t seconds = 10;
    RunOptions options;
};

IdleResult watchIdle(Settings const& settings, HubProcess& hub) {
    auto const pid = hub.process().pid();
    RoleSpec spec;
    spec.workload.subscribers = settings.connections;
    spec.hub = hub.url();
    spec.timeoutMs = static_cast<std::uint64_t>(settings.options.route.timeout.count());
    Crew crew{settings.options.route.timeout};
    crew.watch(hub.process());
    Crew::Members const clients{&crew.start("idle clients", role::kIdleClients, spec)};
    crew.await(clients, "ready");

    IdleResult result{.connections = settings.connections, .baseBytes = residentBytesOf(pid)};
    crew.tell(clients, "go");
    auto const ready = crew.await(clients, "complete").front();
    result.readyMs = (ready.at("end_ns").get<double>() - ready.at("start_ns").get<double>()) / 1e6;
    std::cerr << result.connections << " connections after " << static_cast<int>(result.readyMs)
              << " ms; watching them for " << settings.seconds << " s\n";

    auto const start = monotonicNs();
    auto const cpuAtStart = cpuSecondsOf(pid);
    crew.attend(std::chrono::seconds{settings.seconds});
    result.cpuSeconds = cpuSecondsOf(pid) - cpuAtStart;
    result.seconds = static_cast<double>(monotonicNs() - start) / 1e9;
    result.idleBytes = residentBytesOf(pid);
    crew.tell(clients, "finish");
    result.heartbeats = crew.await(clients, "result").front().at("pings");
    return result;
}

int runCommand(Settings const& settings) {
    allowConnections(settings.connections);
    HubProcess hub{settings.options.route};
    try {
        auto const result = watchIdle(settings, hub);
        hub.stop();
        auto report = toJson(result);
        report["transport"] = nameOf(settings.options.route.transport);
        std::cout << (settings.options.json ? report.dump(2) + "\n" : toText(result));
    } catch (Failure const& failure) {
        throw Failure{failure.what() + hub.log()};
    }
    return 0;
}

}  // namespace

Command addIdleCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand("idle", "What do thousands of connections cost a hub that has nothing to do?");
    addCount(*app, "--connections", settings->connections, "Clients that connect and then do nothing",
             {.most = kMaxConnections});
    addCount(*app, "--seconds", settings->seconds, "How long to watch the hub with all of them",
             {.most = kMaxSeconds});
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
