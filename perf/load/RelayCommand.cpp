#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "Options.hpp"
#include "RelayRun.hpp"
#include "Report.hpp"
#include "Turns.hpp"

namespace gazellemq::perf {
namespace {

constexpr char const* kExamples =
    "The relay is the limit for any hub between processes: it reads up to 64 KB from one raw publisher and "
    "writes it on to each\n"
    "raw subscriber. The publisher copies messages into 32 KB batches and writes them; the subscriber cuts "
    "them and calls\n"
    "a std::function for each. No SDK, no protocol, no locks; the same messages and checks as in "
    "'pubsub'.\n\n"
    "Examples:\n"
    "  gazelle-perf relay --messages 4000000 --size 86\n"
    "  gazelle-perf relay --subscribers 10 --messages 500000 --json\n"
    "  gazelle-perf relay --transport unix                     through Unix sockets";

struct Settings {
    Workload workload;
    RunOptions options;
};

int runCommand(Settings const& settings) {
    auto const& options = settings.options;
    Series relay{.middle = "relay", .workload = settings.workload, .runs = {}};
    Series none;
    takeTurns(options.runs,
              {.hub = [&] { return runThroughRelay(settings.workload, options.route); },
               .base = {},
               .line = [](Series const& series) { return toLine(series, series.runs.back()); }},
              relay, none);
    if (options.json) {
        auto report = toJson(relay);
        report["transport"] = nameOf(options.route.transport);
        std::cout << report.dump(2) << "\n";
    } else {
        std::cout << toText(relay);
    }
    auto const faults = complaint(relay);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

}  // namespace

Command addRelayCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand("relay", "Measure the limit: a process that only reads and writes on");
    addMessageOptions(*app, settings->workload);
    addRunsOption(*app, settings->options);
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
