#pragma once
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "Route.hpp"
#include "Workload.hpp"

namespace gazellemq::perf {

/// The options that the subcommands share. Each adder declares one group of them.
struct RunOptions {
    std::uint64_t runs = 5;
    Route route;
    bool spawnHub = false;
    bool versusRelay = false;
    bool json = false;
};

/// A whole number with its limits. `why` says where the least comes from.
struct Count {
    std::uint64_t least = 1;
    std::uint64_t most = 0;
    std::string why = {};
};
void addCount(CLI::App& app, std::string const& name, std::uint64_t& value, std::string const& text,
              Count const& limits);

/// --messages, --size, --subscribers
void addMessageOptions(CLI::App& app, Workload& workload);
/// --size; `least` bytes are the room for `what`.
void addSizeOption(CLI::App& app, Workload& workload, std::size_t least, std::string const& what);
/// --publishers, --topics
void addTopologyOptions(CLI::App& app, Workload& workload);
/// --hub, --spawn-hub
void addHubOptions(CLI::App& app, RunOptions& options);
/// --vs-relay
void addComparisonOption(CLI::App& app, RunOptions& options, std::string const& text);
/// --runs, with what is set in `options` as default
void addRunsOption(CLI::App& app, RunOptions& options);
/// --transport, --timeout, --json
void addCommonOptions(CLI::App& app, RunOptions& options);

/// "tcp" or "unix".
std::string nameOf(Transport transport);

/// What the single checks cannot see. Throws CLI::ValidationError.
void checkWorkload(Workload const& workload);

}  // namespace gazellemq::perf
