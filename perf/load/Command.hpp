#pragma once
#include <functional>

#include <CLI/CLI.hpp>

namespace gazellemq::perf {

/// A subcommand: `run` is called after its options were read and returns the exit code. Throws Failure.
struct Command {
    CLI::App* app = nullptr;
    std::function<int()> run;
};

Command addPubSubCommand(CLI::App& program);
Command addRelayCommand(CLI::App& program);
Command addPingPongCommand(CLI::App& program);
Command addLatencyCommand(CLI::App& program);
Command addSoakCommand(CLI::App& program);
Command addIdleCommand(CLI::App& program);
Command addReconnectCommand(CLI::App& program);
/// Hidden: what a child process does.
Command addRoleCommand(CLI::App& program);

}  // namespace gazellemq::perf
