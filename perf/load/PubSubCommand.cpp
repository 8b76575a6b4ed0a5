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
constexpr std::uint64_t kMaxStalled = 1000;

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle-perf pubsub --messages 4000000 --size 86 --vs-relay\n"
    "      4 million small messages through a fresh hub, and in turns through the relay\n"
    "  gazelle-perf pubsub --publishers 100 --messages 2000000\n"
    "      100 processes send 20,000 messages each\n"
    "  gazelle-perf pubsub --subscribers 10 --messages 500000 --json > result.json\n"
    "      every message to ten processes, figures for a script\n"
    "  gazelle-perf pubsub --subscribers 5 --stalled 3 --vs-without\n"
    "      beside five measured subscribers three that read nothing, and in turns a run without these\n"
    "  gazelle-perf pubsub --hub tcp://localhost:5875\n"
    "      through a hub that runs already; its CPU time and memory are not measured";

struct Settings {
    Workload workload;
    RunOptions options;
    bool versusWithout = false;
};

/// What the runs are compared with: the relay, or the same runs without stalled subscribers.
Series baseOf(Settings const& settings) {
    Series base{.middle = settings.versusWithout ? "hub" : "relay", .workload = settings.workload, .runs = {}};
    if (settings.versusWithout) {
        base.workload.stalled = 0;
        base.workload.stalledAreCut = false;
    } else {
        base.workload.publishers = base.workload.topics = 1;
    }
    return base;
}

void print(Settings const& settings, Series const& hub, Series const& base) {
    auto const& options = settings.options;
    auto const compared = options.versusRelay || settings.versusWithout;
    if (options.json) {
        auto report = toJson(hub);
        report["transport"] = nameOf(options.route.transport);
        if (options.versusRelay) addComparison(report, hub, base);
        if (settings.versusWithout) addWithoutStalled(report, hub, base);
        std::cout << report.dump(2) << "\n";
    } else {
        if (compared) std::cout << toText(base) << "\n";
        std::cout << toText(hub);
        if (options.versusRelay) std::cout << "\n" << comparisonText(hub, base);
        if (settings.versusWithout) std::cout << "\n" << withoutStalledText(hub, base);
    }
}

int runCommand(Settings const& settings) {
    auto const& options = settings.options;
    checkWorkload(settings.workload);
    if (settings.versusWithout && settings.workload.stalled == 0)
        throw CLI::ValidationError{"--vs-without", "there is nothing to leave out; give --stalled too"};
    Series hub{.middle = "hub", .workload = settings.workload, .runs = {}};
    auto base = baseOf(settings);
    Turns turns{.hub = [&] { return runPubSub(settings.workload, options.route); },
                .base = {},
                .line = [](Series const& series) { return toLine(series, series.runs.back()); }};
    if (options.versusRelay) turns.base = [&] { return runThroughRelay(settings.workload, options.route); };
    if (settings.versusWithout) turns.base = [&] { return runPubSub(base.workload, options.route); };
    takeTurns(turns.base ? std::max(options.runs, kMinPairs) : options.runs, turns, hub, base);

    print(settings, hub, base);
    auto const faults = complaint(hub) + complaint(base);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

void addStalledOptions(CLI::App& app, Settings& settings) {
    auto& workload = settings.workload;
    addCount(app, "--stalled", workload.stalled,
             "More subscribers, by pattern, that read nothing. After each run they go on, and must find every message "
             "received or told as dropped",
             {.least = 0, .most = kMaxStalled});
    app.get_option("--stalled")->excludes("--hub");
    app.add_option_function<std::string>(
           "--stalled-policy",
           [&workload](std::string const& name) { workload.stalledAreCut = name == "disconnect"; },
           "What the hub does with them (its --slow-wildcard): dropOldest or disconnect")
        ->check(CLI::IsMember({"dropOldest", "disconnect"}).description(""))
        ->needs("--stalled")
        ->type_name("NAME")
        ->default_str("dropOldest");
    app.add_flag("--vs-without", settings.versusWithout,
                 "Measure in turns without the stalled subscribers, at least 5 pairs")
        ->excludes("--vs-relay");
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
    addStalledOptions(*app, *settings);
    addRunsOption(*app, settings->options);
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
