#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "LatencyReport.hpp"
#include "MessageContent.hpp"
#include "Options.hpp"
#include "PingPongRun.hpp"
#include "Print.hpp"
#include "Report.hpp"
#include "Rounds.hpp"
#include "Turns.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kMaxRounds = 100'000'000;

constexpr char const* kExamples =
    "One process publishes a message, another answers each from its callback with a message on a second "
    "topic, and the callback\n"
    "of the answer publishes the next: one message is on its way at a time. Measured is each round trip, "
    "after 200 to warm up.\n"
    "The relay's counterpart goes through one relay process and back through another, with blocking raw "
    "sockets.\n"
    "A ratio above 1 means that the hub is slower.\n\n"
    "Examples:\n"
    "  gazelle-perf pingpong --rounds 20000 --vs-relay\n"
    "  gazelle-perf pingpong --size 1024 --json > result.json\n"
    "  gazelle-perf pingpong --hub tcp://localhost:5875";

struct Settings {
    Workload workload;
    std::uint64_t rounds = 20'000;
    RunOptions options;
};

void print(Settings const& settings, Series const& hub, Series const& relay) {
    auto const& options = settings.options;
    if (options.json) {
        nlohmann::ordered_json report{{"rounds", settings.rounds},
                                      {"size", settings.workload.size},
                                      {"transport", nameOf(options.route.transport)}};
        addLatency(report, hub);
        if (options.versusRelay) addLatencyComparison(report, hub, relay);
        std::cout << report.dump(2) << "\n";
        return;
    }
    auto const heading =
        counted(settings.rounds, "round trip") + " of " + counted(settings.workload.size, "byte");
    if (options.versusRelay) std::cout << latencyText(heading, relay) << "\n";
    std::cout << latencyText(heading, hub);
    if (options.versusRelay) std::cout << "\n" << latencyComparisonText(hub, relay);
}

int runCommand(Settings settings) {
    auto const& options = settings.options;
    settings.workload.messages = settings.rounds + Rounds::kWarmUp;
    Series hub{.middle = "hub", .workload = settings.workload, .runs = {}};
    Series relay{.middle = "relay", .workload = settings.workload, .runs = {}};
    Turns turns{.hub = [&] { return runPingPong(settings.workload, options.route); },
                .relay = {},
                .line = latencyLine};
    if (options.versusRelay)
        turns.relay = [&] { return runPingPongThroughRelays(settings.workload, options.route); };
    takeTurns(options.runs, turns, hub, relay);
    print(settings, hub, relay);
    auto const faults = complaint(hub) + complaint(relay);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

}  // namespace

Command addPingPongCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app =
        program.add_subcommand("pingpong", "Measure round trips between two processes, one at a time");
    addCount(*app, "--rounds", settings->rounds, "Round trips of one run", {.most = kMaxRounds});
    addSizeOption(*app, settings->workload, MessageContent::kMinBytes, "sequence and publisher");
    addHubOptions(*app, settings->options);
    addComparisonOption(*app, settings->options, "Measure relays in turns with the hub");
    addRunsOption(*app, settings->options);
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
