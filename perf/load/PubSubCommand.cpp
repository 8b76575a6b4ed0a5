#include <algorithm>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "Options.hpp"
#include "PubSubRun.hpp"
#include "RelayRun.hpp"
#include "Report.hpp"
#include "Turns.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kMinPairs = 5;

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle-perf pubsub --messages 4000000 --size 86 --vs-relay\n"
    "      4 million small messages through a fresh hub, and in turns through the relay\n"
    "  gazelle-perf pubsub --publishers 100 --messages 2000000\n"
    "      100 processes send 20,000 messages each\n"
    "  gazelle-perf pubsub --subscribers 10 --messages 500000 --json > result.json\n"
    "      every message to ten processes, figures for a script\n"
    "  gazelle-perf pubsub --hub tcp://localhost:5875\n"
    "      through a hub that runs already; its CPU time and memory are not measured";

struct Settings {
    Workload workload;
    RunOptions options;
};

int runCommand(Settings const& settings) {
    auto const& options = settings.options;
    checkWorkload(settings.workload);
    Series hub{.middle = "hub", .workload = settings.workload, .runs = {}};
    Series relay{.middle = "relay", .workload = settings.workload, .runs = {}};
    relay.workload.publishers = relay.workload.topics = 1;
    Turns turns{.hub = [&] { return runPubSub(settings.workload, options.route); },
                .relay = {},
                .line = [](Series const& series) { return toLine(series, series.runs.back()); }};
    if (options.versusRelay) turns.relay = [&] { return runThroughRelay(settings.workload, options.route); };
    takeTurns(options.versusRelay ? std::max(options.runs, kMinPairs) : options.runs, turns, hub, relay);

    if (options.json) {
        auto report = toJson(hub);
        report["transport"] = nameOf(options.route.transport);
        if (options.versusRelay) addComparison(report, hub, relay);
        std::cout << report.dump(2) << "\n";
    } else {
        if (options.versusRelay) std::cout << toText(relay) << "\n";
        std::cout << toText(hub);
        if (options.versusRelay) std::cout << "\n" << comparisonText(hub, relay);
    }
    auto const faults = complaint(hub) + complaint(relay);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

}  // namespace

Command addPubSubCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand(
        "pubsub", "Measure publishers, a hub and subscribers, each a process of its own");
    addMessageOptions(*app, settings->workload);
    addTopologyOptions(*app, settings->workload);
    addHubOptions(*app, settings->options);
    addComparisonOption(
        *app, settings->options,
        "Measure the relay in turns with the hub, at least 5 pairs (see: gazelle-perf relay --help)");
    addRunsOption(*app, settings->options);
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
