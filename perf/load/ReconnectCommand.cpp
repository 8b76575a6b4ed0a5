#include <algorithm>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "Crew.hpp"
#include "DescriptorLimit.hpp"
#include "Failure.hpp"
#include "HubProcess.hpp"
#include "Meters.hpp"
#include "Options.hpp"
#include "ReconnectReport.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kMaxClients = 20'000;
constexpr std::uint64_t kMaxRestarts = 1000;
constexpr std::uint64_t kMaxDownMs = 3'600'000;
/// Each has four threads; a process with many thousands of threads is nobody's application.
constexpr std::uint64_t kClientsOfProcess = 250;

constexpr char const* kExamples =
    "Clients of the SDK with its default options, 250 in a process: each is a subscriber with one subscription and a "
    "publisher with one\n"
    "topic, so two links. The hub is killed (SIGKILL), and when all clients have noticed it is started again on the "
    "same address. What\n"
    "is measured is the time from its \"ready\" until every client is linked and subscribed again; then each sends "
    "itself a message.\n"
    "The longer nobody serves, the longer are the pauses between a client's attempts: 50 ms at first, 2 s at "
    "most.\n\n"
    "Examples:\n"
    "  gazelle-perf reconnect --clients 1000\n"
    "  gazelle-perf reconnect --clients 1000 --down-ms 10000 --runs 3      the hub stays away for 10 s\n"
    "  gazelle-perf reconnect --transport unix --json > result.json";

struct Settings {
    std::uint64_t clients = 1000;
    std::uint64_t downMs = 0;
    RunOptions options;
};

Crew::Members startClients(Crew& crew, Settings const& settings, std::string const& url) {
    Crew::Members members;
    RoleSpec spec;
    spec.hub = url;
    spec.topicPrefix = "reconnect";
    spec.workload.messages = settings.options.runs;
    spec.timeoutMs = static_cast<std::uint64_t>(settings.options.route.timeout.count());
    for (auto left = settings.clients; left > 0; left -= spec.workload.subscribers, ++spec.index) {
        spec.workload.subscribers = std::min(left, kClientsOfProcess);
        members.push_back(
            &crew.start("clients " + std::to_string(spec.index), role::kReconnectingClients, spec));
    }
    return members;
}

/// Milliseconds until all are ready again.
double restart(Crew& crew, Crew::Members const& clients, HubProcess& hub, std::chrono::milliseconds down) {
    hub.kill();
    crew.tell(clients, "go");
    crew.await(clients, "down");
    crew.attend(down);
    hub.startAgain();
    auto const start = monotonicNs();
    auto end = start;
    for (auto const& ready : crew.await(clients, "complete"))
        end = std::max(end, ready.at("end_ns").get<std::int64_t>());
    crew.await(clients, "checked");
    return static_cast<double>(end - start) / 1e6;
}

int runCommand(Settings const& settings) {
    auto const& options = settings.options;
    allowConnections(2 * settings.clients);
    HubProcess hub{options.route};
    ReconnectResult result{
        .clients = settings.clients, .downMs = static_cast<double>(settings.downMs), .readyMs = {}};
    try {
        Crew crew{options.route.timeout};
        auto const clients = startClients(crew, settings, hub.url());
        crew.await(clients, "ready");
        while (result.readyMs.size() < options.runs) {
            result.readyMs.push_back(restart(crew, clients, hub, std::chrono::milliseconds{settings.downMs}));
            std::cerr << "restart " << result.readyMs.size() << "/" << options.runs << ": all ready after "
                      << static_cast<int>(result.readyMs.back()) << " ms\n";
        }
    } catch (Failure const& failure) {
        throw Failure{failure.what() + hub.log()};
    }
    hub.stop();
    auto report = toJson(result);
    report["transport"] = nameOf(options.route.transport);
    std::cout << (options.json ? report.dump(2) + "\n" : toText(result));
    return 0;
}

}  // namespace

Command addReconnectCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand("reconnect", "How fast are all clients back when a hub is killed and started again?");
    addCount(*app, "--clients", settings->clients, "Clients, each with a publisher's and a subscriber's link",
             {.most = kMaxClients});
    addCount(*app, "--runs", settings->options.runs, "How often the hub is killed", {.most = kMaxRestarts});
    addCount(*app, "--down-ms", settings->downMs, "How long nobody serves, once all clients have noticed",
             {.least = 0, .most = kMaxDownMs});
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
