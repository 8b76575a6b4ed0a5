#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <nlohmann/json.hpp>

#include "Command.hpp"
#include "Failure.hpp"
#include "Meters.hpp"
#include "Options.hpp"
#include "SoakMix.hpp"

namespace gazellemq::perf {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr double kMinMinutes = 0.05;
constexpr double kMaxMinutes = 100'000;
constexpr Milliseconds kMinWarmUp{5'000};
constexpr Milliseconds kMaxWarmUp{60'000};
constexpr Milliseconds kBetweenReports{10'000};
constexpr Milliseconds kQuiet{3'000};
constexpr Milliseconds kQuietLimit{60'000};
constexpr Milliseconds kLook{200};

constexpr char const* kExamples =
    "All at once, on one hub: 2 steady pairs of publisher and subscriber, whose every message is checked; "
    "slow subscribers, by name\n"
    "and by pattern, and a publisher, one of which is killed and started again every second; 2 "
    "processes "
    "that connect, use new\n"
    "topics and disconnect, over and over.\n"
    "The same for a fifth of the time (5 s to 1 minute) is the warm-up. After it, and at the end, all "
    "clients "
    "stop, and when the\n"
    "hub's memory and descriptors have not changed for 3 s they are taken. The exit code is 1 if at the end "
    "the memory (VmRSS) is\n"
    "larger by more than 16 MB and a tenth, if there are other open descriptors, if a steady pair lost a "
    "message, or if the\n"
    "hub's own counters (SIGUSR2) say that it holds other connections, subscriptions, topics or buffers. The counters of a "
    "given hub\n"
    "are not read.\n\n"
    "Examples:\n"
    "  gazelle-perf soak --minutes 60\n"
    "  gazelle-perf soak --minutes 600 --hub tcp://localhost:5875 --hub-pid $(pidof gazelle-hub)\n"
    "      a hub that was started with --idle-topic-ttl 1s, and that nobody else uses";

struct Settings {
    double minutes = 10;
    std::uint64_t hubPid = 0;
    RunOptions options;
};

HubState hubStateOf(pid_t pid) {
    return {.residentBytes = residentBytesOf(pid), .descriptors = openDescriptorsOf(pid), .holdings = {}};
}

/// When it has not changed for a while. `hub`: null if it is not ours.
HubState quietStateOf(pid_t pid, HubProcess* hub) {
    using Clock = std::chrono::steady_clock;
    auto const start = Clock::now();
    auto since = start;
    auto state = hubStateOf(pid);
    while (Clock::now() - since < kQuiet && Clock::now() - start < kQuietLimit) {
        std::this_thread::sleep_for(kLook);
        auto const now = hubStateOf(pid);
        if (now != state) since = Clock::now();
        state = now;
    }
    if (state.residentBytes == 0)
        throw Failure{"there is no process " + std::to_string(pid) + " whose memory could be read"};
    if (hub != nullptr) state.holdings = hub->holdings();
    return state;
}

SoakTally soak(std::string const& title, Milliseconds time, std::string const& url, HubProcess* hub,
               Milliseconds timeout) {
    SoakMix mix{url, hub, timeout};
    for (auto done = Milliseconds{0}; done < time;) {
        auto const step = std::min(kBetweenReports, time - done);
        mix.run(step);
        done += step;
        std::cerr << title << ": " << done.count() / 1000 << "/" << time.count() / 1000 << " s, "
                  << mix.messagesSoFar() << " messages between steady pairs\n";
    }
    return mix.stop();
}

SoakResult soakHub(Settings const& settings, std::string const& url, HubProcess* hub, pid_t pid) {
    auto const timeout = settings.options.route.timeout;
    Milliseconds const time{static_cast<std::int64_t>(settings.minutes * 60'000)};
    SoakResult result;
    result.minutes = settings.minutes;
    auto const before = soak("warm-up", std::clamp(time / 5, kMinWarmUp, kMaxWarmUp), url, hub, timeout);
    result.base = quietStateOf(pid, hub);
    result.tally = soak("soak", time, url, hub, timeout);
    result.tally.verdict += before.verdict;
    result.end = quietStateOf(pid, hub);
    result.peakBytes = peakMemoryBytesOf(pid);
    return result;
}

SoakResult soakOwnHub(Settings const& settings) {
    HubProcess hub{settings.options.route, {"--idle-topic-ttl", "1s"}};
    try {
        auto const result = soakHub(settings, hub.url(), &hub, hub.process().pid());
        hub.stop();
        return result;
    } catch (Failure const& failure) {
        throw Failure{failure.what() + hub.log()};
    }
}

int runCommand(Settings const& settings) {
    auto const& url = settings.options.route.hub;
    auto const result = url.empty() ? soakOwnHub(settings)
                                    : soakHub(settings, url, nullptr, static_cast<pid_t>(settings.hubPid));
    std::cout << (settings.options.json ? toJson(result).dump(2) + "\n" : toText(result));
    auto const faults = complaint(result);
    if (!faults.empty()) std::cerr << faults << "\n";
    return faults.empty() ? 0 : 1;
}

}  // namespace

Command addSoakCommand(CLI::App& program) {
    auto const settings = std::make_shared<Settings>();
    auto* app =
        program.add_subcommand("soak", "Use a hub in many ways for long; does it come back to where it was?");
    app->add_option("--minutes", settings->minutes, "How long, without warm-up; may be a fraction")
        ->capture_default_str()
        ->check(CLI::Range(kMinMinutes, kMaxMinutes).description(""))
        ->type_name("M");
    addHubOptions(*app, settings->options);
    auto* hub = app->get_option("--hub");
    auto* pid = app->add_option("--hub-pid", settings->hubPid, "The process of that hub")->type_name("PID");
    pid->check(CLI::Range(1, 1 << 22).description(""));
    pid->needs(hub);
    hub->needs(pid);
    addCommonOptions(*app, settings->options);
    app->footer(kExamples);
    return {app, [settings] { return runCommand(*settings); }};
}

}  // namespace gazellemq::perf
