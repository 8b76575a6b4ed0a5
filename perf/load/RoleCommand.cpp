#include <memory>
#include <string>

#include "Command.hpp"
#include "Role.hpp"

namespace gazellemq::perf {

Command addRoleCommand(CLI::App& program) {
    struct Settings {
        std::string name;
        std::string spec;
    };
    auto const settings = std::make_shared<Settings>();
    auto* app =
        program.add_subcommand("role", "One process of a run; started by the other subcommands")->group("");
    app->add_option("name", settings->name)->required();
    app->add_option("spec", settings->spec)->required();
    return {app, [settings] { return playRole(settings->name, settings->spec); }};
}

}  // namespace gazellemq::perf
