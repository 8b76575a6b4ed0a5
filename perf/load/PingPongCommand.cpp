#include <memory>

#include "Command.hpp"
#include "LatencyMeasurement.hpp"
#include "MessageContent.hpp"
#include "Options.hpp"
#include "PingPongRun.hpp"
#include "Print.hpp"
#include "Rounds.hpp"

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

int runCommand(Settings settings) {
    auto const& options = settings.options;
    auto& workload = settings.workload;
    workload.messages = settings.rounds + Rounds::kWarmUp;
    return measureLatency({.workload = workload,
                           .options = options,
                           .throughHub = [&] { return runPingPong(workload, options.route); },
                           .throughRelay = [&] { return runPingPongThroughRelays(workload, options.route); },
                           .head = {{"rounds", settings.rounds},
                                    {"size", workload.size},
                                    {"transport", nameOf(options.route.transport)}},
                           .heading = counted(settings.rounds, "round trip") + " of " + counted(workload.size, "byte")});
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
