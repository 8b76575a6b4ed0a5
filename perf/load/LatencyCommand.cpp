#include <memory>

#include "Command.hpp"
#include "LatencyMeasurement.hpp"
#include "Options.hpp"
#include "Print.hpp"
#include "PubSubRun.hpp"
#include "RelayRun.hpp"
#include "TimedContent.hpp"

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

int runCommand(Settings settings) {
    auto const& options = settings.options;
    auto& workload = settings.workload;
    workload.messages = workload.rate * settings.seconds;
    if (workload.messages > kMaxMessages) {
        throw CLI::ValidationError{"--rate", std::to_string(workload.messages) +
                                                 " messages in one run are too many; the most is " +
                                                 std::to_string(kMaxMessages) +
                                                 ": lower --rate or --seconds"};
    }
    return measureLatency({.workload = workload,
                           .options = options,
                           .throughHub = [&] { return runPubSub(workload, options.route); },
                           .throughRelay = [&] { return runThroughRelay(workload, options.route); },
                           .head = {{"rate", workload.rate},
                                    {"size", workload.size},
                                    {"seconds", settings.seconds},
                                    {"messages", workload.messages},
                                    {"transport", nameOf(options.route.transport)}},
                           .heading = counted(workload.messages, "message") + " of " + counted(workload.size, "byte") +
                                      ", " + std::to_string(workload.rate) + " per second"});
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
