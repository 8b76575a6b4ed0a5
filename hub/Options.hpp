#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "gazellemq/hub/Server.hpp"
#include "Log.hpp"

namespace gazellemq::hub {

/// What gazelle-hub was told by flags, GAZELLE_* variables and the configuration file, all declared once in Options.cpp.
struct Options {
    ServerOptions server;
    LogOptions log;
    std::filesystem::path pidFile;  ///< empty: none
    bool daemon = false;
    bool checkConfig = false;
};

/// What to do next: run with `options`, or leave with `exitCode` after what was printed.
struct ParsedOptions {
    Options options;
    bool run = false;
    int exitCode = 0;
};

/// Prints help, version and errors itself (stdout and stderr).
ParsedOptions parseOptions(int argc, char const* const* argv);

}  // namespace gazellemq::hub
