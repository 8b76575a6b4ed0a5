#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "Ask.hpp"
#include "Command.hpp"

namespace {

using namespace gazellemq::tools;

constexpr char const* kAbout = "gazelle: topics, messages and connections of a gazelle-hub from the command line";

constexpr char const* kFooter =
    "Examples:\n"
    "  gazelle topic create orders                 a topic that stays until it is deleted\n"
    "  gazelle sub 'orders.*'                      print what is published\n"
    "  gazelle pub orders.new 'a message'          publish\n"
    "  gazelle topic info orders                   settings, counters, who is behind\n"
    "  gazelle topic create --help                 all options of a command\n\n"
    "Options may also come from ~/.config/gazelle.toml (hub = \"unix:///run/gazelle.sock\") and, for --hub, from GAZELLE_HUB.\n"
    "Exit codes: 0 done; 1 refused, with the reason; 2 the command line is wrong; 3 the hub cannot be reached.\n"
    "How fast is a hub? See gazelle-perf --help.";

std::string configFile() {
    if (auto const* folder = std::getenv("XDG_CONFIG_HOME"); folder && *folder) return std::string{folder} + "/gazelle.toml";
    if (auto const* home = std::getenv("HOME"); home && *home) return std::string{home} + "/.config/gazelle.toml";
    return "";
}

void addGlobals(CLI::App& program, Global& global) {
    static std::map<std::string, std::int64_t> const units{{"ms", 1}, {"s", 1000}, {"m", 60'000}};
    program.add_option("--hub", global.hub, "The hub: tcp://host:port or unix:///path")->envname("GAZELLE_HUB")->capture_default_str()->type_name("URL");
    program.add_flag("--json", global.json, "Print JSON instead of tables");
    program
        .add_option_function<std::int64_t>(
            "--timeout", [&global](std::int64_t ms) { global.timeout = std::chrono::milliseconds{ms}; }, "How long to wait for the hub")
        ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_OPTIONAL, "ms").description(""))
        ->type_name("TIME")
        ->default_str("5s");
    program.set_config("--config", configFile(), "Read options from a TOML file")->type_name("FILE");
}

int run(int argc, char** argv) {
    Global global;
    CLI::App program{kAbout, "gazelle"};
    program.set_version_flag("--version", "gazelle " GAZELLEMQ_TOOLS_VERSION);
    program.require_subcommand(1);
    program.fallthrough();
    program.footer(kFooter);
    program.get_formatter()->column_width(30);
    addGlobals(program, global);
    Commands commands;
    addTopicCommands(program, global, commands);
    addPubCommand(program, global, commands);
    addSubCommand(program, global, commands);
    addHubCommands(program, global, commands);
    try {
        program.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        return program.exit(error) == 0 ? 0 : kUsageError;
    }
    try {
        for (auto const& command : commands) {
            if (command.app->parsed()) return command.run();
        }
    } catch (Failure const& failure) {
        return tell(global, failure);
    }
    return kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (std::exception const& error) {
        std::cerr << "gazelle: " << error.what() << "\n";
        return kRefused;
    }
}
