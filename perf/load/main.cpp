#include <csignal>
#include <iostream>

#include "Command.hpp"
#include "Failure.hpp"

namespace {

constexpr char const* kAbout =
    "gazelle-perf: how fast does a hub move messages, and how long does each take? Publishers, hub and "
    "subscribers run as processes of "
    "their own; every\n"
    "message is checked for loss, duplication, disorder and damage, and each of them makes the exit code 1.";

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle-perf pubsub                                     1 million messages of 86 bytes, five times\n"
    "  gazelle-perf pubsub --messages 4000000 --vs-relay       compared with the limit of the machine\n"
    "  gazelle-perf pingpong --vs-relay                        round trips, one at a time\n"
    "  gazelle-perf latency --rate 50000 --vs-relay            how long a message takes at a steady rate\n"
    "  gazelle-perf soak --minutes 60                          does a hub come back to where it was?\n"
    "  gazelle-perf idle --connections 10000                   what do they cost while nothing happens?\n"
    "  gazelle-perf reconnect --clients 1000                   how fast are they back after a restart?\n"
    "  gazelle-perf pubsub --help                              all options, more examples\n\n"
    "Tables or, with --json, one object go to stdout; progress goes to stderr.";

constexpr int kUsageError = 2;

int run(int argc, char** argv) {
    using namespace gazellemq::perf;
    CLI::App program{kAbout, "gazelle-perf"};
    program.set_version_flag("--version", "gazelle-perf " GAZELLEMQ_PERF_VERSION);
    program.require_subcommand(1);
    program.footer(kExamples);
    program.get_formatter()->column_width(28);
    auto const commands = {addPubSubCommand(program),  addRelayCommand(program), addPingPongCommand(program),
                           addLatencyCommand(program), addSoakCommand(program),  addIdleCommand(program),
                           addReconnectCommand(program), addRoleCommand(program)};
    try {
        program.parse(argc, argv);
        for (auto const& command : commands) {
            if (command.app->parsed()) return command.run();
        }
    } catch (CLI::ParseError const& error) {
        return program.exit(error) == 0 ? 0 : kUsageError;
    }
    return kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (std::exception const& error) {
        std::cerr << "gazelle-perf: " << error.what() << "\n";
        return 1;
    }
}
