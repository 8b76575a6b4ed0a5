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
CLI::Validator between(std::uint64_t least, std::uint64_t most, std::string const& why = "") {
    return CLI::Validator{[=](std::string& text) -> std::string {
                              std::uint64_t value = 0;
                              if (!CLI::detail::lexical_cast(text, value))
                                  return "'" + text + "' is not a whole number";
                              if (value < least)
                                  return text + " is too small; the least is " + std::to_string(least) + why;
                              if (value > most)
                                  return text + " is too large; the most is " + std::to_string(most);
                              return {};
                          },
                          ""};
}

void addCount(CLI::App& app, std::string const& name, std::uint64_t& value, std::string const& text,
              CLI::Validator const& check) {
    app.add_option(name, value, text)->capture_default_str()->type_name("N")->check(check);
}

}  // namespace

void addMessageOptions(CLI::App& app, Workload& workload) {
    addCount(app, "--messages", workload.messages, "Messages, of all publishers together",
             between(1, kMaxMessages));
    addCount(
        app, "--size", workload.size, "Bytes of one message",
        between(MessageContent::kMinBytes, kMaxBytes, ", the room for a message's sequence and publisher"));
    addCount(app, "--subscribers", workload.subscribers, "Subscriber processes; each gets every message",
             between(1, kMaxProcesses));
}

void addTopologyOptions(CLI::App& app, Workload& workload) {
    addCount(app, "--publishers", workload.publishers, "Publisher processes that share the messages",
             between(1, kMaxProcesses));
    addCount(app, "--topics", workload.topics, "Topics that each publisher takes in turn",
             between(1, kMaxTopics));
}

void addRunOptions(CLI::App& app, RunOptions& options) {
    static std::map<std::string, std::int64_t> const units{
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
    addCount(app, "--runs", options.runs, "How often to measure; the medians count", between(1, kMaxRuns));
    app.add_option_function<std::int64_t>(
           "--timeout", [&options](std::int64_t ms) { options.timeout = std::chrono::milliseconds{ms}; },
           "Give up when nothing has moved for so long")
        ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_OPTIONAL, "ms").description(""))
        ->check(between(1, 24 * 3'600'000))
        ->type_name("TIME")
        ->default_str("60s");
    app.add_flag("--json", options.json, "Print one JSON object instead of tables");
}

void checkWorkload(Workload const& workload) {
    if (workload.messages >= workload.publishers) return;
    throw CLI::ValidationError{
        "--messages", std::to_string(workload.messages) + " messages are too few for " +
                          std::to_string(workload.publishers) + " publishers; each sends at least one"};
}

}  // namespace gazellemq::perf
