#pragma once
#include <chrono>
#include <cstdint>

#include <CLI/CLI.hpp>

#include "Workload.hpp"

namespace gazellemq::perf {

/// The options that the subcommands share. Each adder declares one group of them.
struct RunOptions {
    std::uint64_t runs = 5;
    std::chrono::milliseconds timeout{60'000};
    bool json = false;
};

/// --messages, --size, --subscribers
void addMessageOptions(CLI::App& app, Workload& workload);
/// --publishers, --topics
void addTopologyOptions(CLI::App& app, Workload& workload);
/// --runs, --timeout, --json
void addRunOptions(CLI::App& app, RunOptions& options);

/// What the single checks cannot see. Throws CLI::ValidationError.
void checkWorkload(Workload const& workload);

}  // namespace gazellemq::perf
