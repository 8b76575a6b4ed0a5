#pragma once
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "gazellemq/hub/Server.hpp"

namespace gazellemq::hub {

struct LogOptions {
    LogLevel level = LogLevel::info;
    std::filesystem::path file;                     ///< empty: stderr
    std::size_t fileBytes = 10 * 1024 * 1024;       ///< then hub.log becomes hub.1.log and so on
    std::size_t files = 5;                          ///< old ones that are kept
};

/// The program's log. Lines are written by a thread of its own; when that falls behind the oldest lines are lost, never the hub's
/// time. Any thread.
class Log {
  public:
    /// Throws std::runtime_error when the file cannot be opened.
    explicit Log(LogOptions const& options);
    /// Writes what waits.
    ~Log();
    Log(Log const&) = delete;
    Log& operator=(Log const&) = delete;

    static void write(LogLevel level, std::string_view line);
    /// Opens the file anew, after somebody has moved it away.
    static void reopen();
};

}  // namespace gazellemq::hub
