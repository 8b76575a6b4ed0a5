#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "LatencyReport.hpp"
#include "Options.hpp"
#include "Print.hpp"
#include "PubSubRun.hpp"
#include "RelayRun.hpp"
#include "Report.hpp"
#include "TimedContent.hpp"
#include "Turns.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kMaxRate = 1'000'000;
constexpr std::uint64_t kMaxSeconds = 3600;
constexpr std::uint64_t kMaxMessages = 100'000'000;  // 8 bytes each in the subscriber

constexpr char const* kExamples =
    "An open loop: every message has its time, one every 1/rate seconds, whatever happens to those before "
    "it. "
    "Its latency runs from\n"
    "that time, which it carries, to its callback; a hub that stops for a while is charged for every message "
    "that had to wait.\n"
    "The publisher sleeps until a message is due, and publishes all that are due when it wakes, some 5 us "
    "late; it never spins.\n"
    "The relay's publisher does the same with one write. A ratio above 1 means that the hub is slower.\n\n"
    "Examples:\n"
    "  gazelle-perf latency --rate 50000 --size 86 --seconds 5 --vs-relay\n"
    "  gazelle-perf latency --rate 500000 --json > result.json\n"
    "  gazelle-perf latency --rate 100 --hub tcp://localhost:5875";

struct Settings {
    Workload workload{.rate = 50'000};
    std::uint64_t seconds = 5;
    RunOptions options{.runs = 3, .route = {}};
};

void print(Settings const& settings, Series const& hub, Series const& relay) {
    auto const& options = settings.options;
    auto const& workload = settings.workload;
    if (options.json) {
        nlohmann::ordered_json report{{"rate", workload.rate},
                                      {"size", workload.size},
                                      {"seconds", settings.seconds},
                                      {"messages", workload.messages},
                                      {"transport", nameOf(options.route.transport)}};
        addLatency(report, hub);
        if (options.versusRelay) addLatencyComparison(report, hub, relay);
        std::cout << report.dump(2) << "\n";
        return;
    }
    auto const heading = counted(workload.messages, "message") + " of " + counted(workload.size, "byte") +
                         ", " + std::to_string(workload.rate) + " per second";
    if (options.versusRelay) std::cout << latencyText(heading, relay) << "\n";
    std::cout << latencyText(heading, hub);
    if (options.versusRelay) std::cout << "\n" << latencyComparisonText(hub, relay);
}

int runCommand(Settings settings) {
    auto const& options = settings.options;
    settings.workload.messages = settings.workload.rate * settings.seconds;
    if (settings.workload.messages > kMaxMessages) {
        throw CLI::ValidationError{"--rate", std::to_string(settings.workload.messages) +
                                                 " messages in one run are too many; the most is " +
                                                 std::to_string(kMaxMessages) +
                                                 ": lower --rate or --seconds"};
    }
    Series hub{.middle = "hub", .workload = settings.workload, .runs = {}};
    Series relay{.middle = "relay", .workload = settings.workload, .runs = {}};
    Turns turns{
        .hub = [&] { return runPubSub(settings.workload, options.route); }, .relay = {}, .line = latencyLine};
    if (options.versusRelay) turns.relay = [&] { return runThroughRelay(settings.workload, options.route); };
    takeTurns(options.runs, turns, hub, relay);
    print(settings, hub, relay);
    auto const faults = complaint(hub) + complaint(relay);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

}  // namespace

Command addLatencyCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand("latency", "Measure how long messages take at a steady rate");
    addCount(*app, "--rate", settings->workload.rate, "Messages per second", {.most = kMaxRate});
    addCount(*app, "--seconds", settings->seconds, "Length of one run", {.most = kMaxSeconds});
    addSizeOption(*app, settings->workload, TimedContent::kMinBytes, "time, sequence and publisher");
    addHubOptions(*app, settings->options);
    addComparisonOption(*app, settings->options, "Measure the relay in turns with the hub");
    addRunsOption(*app, settings->options);
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
