#pragma once
#include <chrono>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

namespace gazellemq::tools {

/// Exit codes of `gazelle`, also in its --help.
inline constexpr int kRefused = 1;      ///< the hub, or the SDK, said no
inline constexpr int kUsageError = 2;   ///< the command line is wrong
inline constexpr int kUnreachable = 3;  ///< there is no hub at that address, or it did not answer in time

/// What every subcommand takes.
struct Global {
    std::string hub = "tcp://localhost:5875";
    bool json = false;
    std::chrono::milliseconds timeout{5000};
};

/// A subcommand that was parsed, and what it does; it returns the exit code.
struct Command {
    CLI::App* app;
    std::function<int()> run;
};
using Commands = std::vector<Command>;

void addTopicCommands(CLI::App& program, Global const& global, Commands& commands);
void addHubCommands(CLI::App& program, Global const& global, Commands& commands);
void addPubCommand(CLI::App& program, Global const& global, Commands& commands);
void addSubCommand(CLI::App& program, Global const& global, Commands& commands);

}  // namespace gazellemq::tools
