#include "Options.hpp"

#include <map>

#include "MessageContent.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kMaxBytes = 64 * 1024 * 1024;
constexpr std::uint64_t kMaxProcesses = 1000;
constexpr std::uint64_t kMaxTopics = 100'000;
constexpr std::uint64_t kMaxRuns = 1000;
constexpr std::uint64_t kMaxMessages = 1'000'000'000'000;

/// Says for itself what is wrong with a number and which would be right.
CLI::Validator between(Count const& limits) {
    return CLI::Validator{[limits](std::string& text) -> std::string {
                              std::uint64_t value = 0;
                              if (!CLI::detail::lexical_cast(text, value))
                                  return "'" + text + "' is not a whole number";
                              if (value < limits.least)
                                  return text + " is too small; the least is " +
                                         std::to_string(limits.least) + limits.why;
                              if (value > limits.most)
                                  return text + " is too large; the most is " + std::to_string(limits.most);
                              return {};
                          },
                          ""};
}

}  // namespace

void addCount(CLI::App& app, std::string const& name, std::uint64_t& value, std::string const& text,
              Count const& limits) {
    app.add_option(name, value, text)->capture_default_str()->type_name("N")->check(between(limits));
}

void addMessageOptions(CLI::App& app, Workload& workload) {
    addCount(app, "--messages", workload.messages, "Messages, of all publishers together",
             {.most = kMaxMessages});
    addSizeOption(app, workload, MessageContent::kMinBytes, "sequence and publisher");
    addCount(app, "--subscribers", workload.subscribers, "Subscriber processes; each gets every message",
             {.most = kMaxProcesses});
}

void addSizeOption(CLI::App& app, Workload& workload, std::size_t least, std::string const& what) {
    addCount(app, "--size", workload.size, "Bytes of one message",
             {.least = least, .most = kMaxBytes, .why = ", the room for a message's " + what});
}

void addTopologyOptions(CLI::App& app, Workload& workload) {
    addCount(app, "--publishers", workload.publishers, "Publisher processes that share the messages",
             {.most = kMaxProcesses});
    addCount(app, "--topics", workload.topics, "Topics that each publisher takes in turn",
             {.most = kMaxTopics});
}

void addHubOptions(CLI::App& app, RunOptions& options) {
    auto* hub = app.add_option("--hub", options.route.hub,
                               "Use the hub at this address, tcp://host:port or unix:///path")
                    ->type_name("URL");
    app.add_flag("--spawn-hub", options.spawnHub,
                 "Start a fresh hub for each run (what happens without --hub)")
        ->excludes(hub);
}

void addComparisonOption(CLI::App& app, RunOptions& options, std::string const& text) {
    app.add_flag("--vs-relay", options.versusRelay, text);
}

void addRunsOption(CLI::App& app, RunOptions& options) {
    addCount(app, "--runs", options.runs, "How often to measure; the medians count", {.most = kMaxRuns});
}

void addCommonOptions(CLI::App& app, RunOptions& options) {
    static std::map<std::string, std::int64_t> const units{
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
    auto& route = options.route;
    app.add_option_function<std::string>(
           "--transport",
           [&route](std::string const& name) {
               route.transport = name == "tcp" ? Transport::tcp : Transport::unixSocket;
           },
           "What connects the processes, beside those of a given hub: tcp (loopback) or unix (sockets)")
        ->check(CLI::Validator{[](std::string& name) -> std::string {
                                   if (name == "tcp" || name == "unix") return {};
                                   return "'" + name + "' is not a transport; there are tcp and unix";
                               },
                               ""})
        ->type_name("NAME")
        ->default_str(nameOf(route.transport));
    app.add_option_function<std::int64_t>(
           "--timeout", [&route](std::int64_t ms) { route.timeout = std::chrono::milliseconds{ms}; },
           "Give up when nothing has moved for so long")
        ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_OPTIONAL, "ms").description(""))
        ->check(between({.most = 24 * 3'600'000}))
        ->type_name("TIME")
        ->default_str("60s");
    app.add_flag("--json", options.json, "Print one JSON object instead of tables");
}

std::string nameOf(Transport transport) { return transport == Transport::tcp ? "tcp" : "unix"; }

void checkWorkload(Workload const& workload) {
    if (workload.messages >= workload.publishers) return;
    throw CLI::ValidationError{
        "--messages", std::to_string(workload.messages) + " messages are too few for " +
                          std::to_string(workload.publishers) + " publishers; each sends at least one"};
}

}  // namespace gazellemq::perf
