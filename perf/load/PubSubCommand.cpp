#include <algorithm>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "Options.hpp"
#include "PubSubRun.hpp"
#include "RelayRun.hpp"
#include "Report.hpp"

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
    std::string hub;
    bool spawnHub = false;
    bool versusRelay = false;
};

void note(Series const& series, std::uint64_t runs) {
    std::cerr << "run " << series.runs.size() << "/" << runs << " " << toLine(series, series.runs.back())
              << "\n";
}

/// Stops at the first run with a fault.
void runAll(Settings const& settings, Series& hub, Series& relay) {
    auto const& options = settings.options;
    auto const runs = settings.versusRelay ? std::max(options.runs, kMinPairs) : options.runs;
    while (hub.runs.size() < runs && hub.verdict().clean()) {
        if (settings.versusRelay) {
            relay.runs.push_back(runThroughRelay(settings.workload, options.timeout));
            note(relay, runs);
        }
        hub.runs.push_back(runPubSub(settings.workload, settings.hub, options.timeout));
        note(hub, runs);
    }
}

int runCommand(Settings const& settings) {
    checkWorkload(settings.workload);
    Series hub{.middle = "hub", .workload = settings.workload, .runs = {}};
    Series relay{.middle = "relay", .workload = settings.workload, .runs = {}};
    relay.workload.publishers = relay.workload.topics = 1;
    runAll(settings, hub, relay);

    if (settings.options.json) {
        auto report = toJson(hub);
        if (settings.versusRelay) addComparison(report, hub, relay);
        std::cout << report.dump(2) << "\n";
    } else {
        if (settings.versusRelay) std::cout << toText(relay) << "\n";
        std::cout << toText(hub);
        if (settings.versusRelay) std::cout << "\n" << comparisonText(hub, relay);
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
    auto* hub = app->add_option("--hub", settings->hub, "Use the hub at this address, tcp://host:port")
                    ->type_name("URL");
    app->add_flag("--spawn-hub", settings->spawnHub,
                  "Start a fresh hub for each run (what happens without --hub)")
        ->excludes(hub);
    app->add_flag(
        "--vs-relay", settings->versusRelay,
        "Measure the relay in turns with the hub, at least 5 pairs (see: gazelle-perf relay --help)");
    addRunOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
