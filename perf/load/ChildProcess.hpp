#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "Descriptor.hpp"

namespace gazellemq::perf {

/// A program started by this one, spoken to in lines: send() to its stdin, lines from its stdout. It is
/// killed with this object, and by the kernel when this process dies. Owned by the main thread, which must be
/// the one that created it (the kernel watches the thread). Knows nothing about what the lines mean.
class ChildProcess {
  public:
    /// `title` names it in messages ("subscriber 2"). `errorFd` becomes its stderr; -1: ours. Throws Failure.
    ChildProcess(std::string title, std::filesystem::path const& program,
                 std::vector<std::string> const& arguments, int errorFd = -1);
    ~ChildProcess();
    ChildProcess(ChildProcess const&) = delete;
    ChildProcess& operator=(ChildProcess const&) = delete;

    std::string const& title() const { return title_; }
    pid_t pid() const { return pid_; }
    /// Readable when lines, or the end, can be read.
    int outputFd() const { return output_.get(); }

    void send(std::string_view line);
    /// Reads once what its stdout holds, waiting if there is nothing. False at the end.
    bool read();
    /// The next whole line that was read.
    std::optional<std::string> nextLine();

    /// Asks it to end (SIGTERM).
    void terminate();
    /// How it ended ("exit code 1", "signal 9"), or nothing if it still runs after `limit`.
    std::optional<std::string> waitForEnd(std::chrono::milliseconds limit);

  private:
    void reap();

    std::string title_;
    pid_t pid_ = -1;
    Descriptor input_;
    Descriptor output_;
    std::string unread_;
    bool ended_ = false;
    int status_ = 0;
};

}  // namespace gazellemq::perf
