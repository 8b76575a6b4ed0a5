#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "Waiting.hpp"

namespace gazellemq::test {

/// A program that a test has started: lines from its stdout, what it wrote to stderr, its end. Killed with this object, and by the
/// kernel when the thread that made it ends. It starts with the signals' defaults and nothing blocked, whatever the test has.
class ChildProcess {
  public:
    enum class Stream : std::uint8_t { captured, closed, brokenPipe };
    struct Setup {
        std::vector<std::string> words = {};        ///< path of the program, arguments
        std::vector<std::string> environment = {};  ///< NAME=value, in addition to the test's
        std::string folder = {};                    ///< to start in; "" = the test's
        Stream out = Stream::captured;
        Stream err = Stream::captured;
    };

    /// Throws std::runtime_error if it cannot be started.
    explicit ChildProcess(Setup const& setup);
    ~ChildProcess();
    ChildProcess(ChildProcess const&) = delete;
    ChildProcess& operator=(ChildProcess const&) = delete;

    pid_t pid() const { return pid_; }
    void signal(int number) const;
    /// SIGSTOP; when this returns nothing runs in it any more.
    void freeze() const;
    /// Its stdin comes to the end.
    void closeInput();

    /// The next line of its stdout; empty at the end of it, or of the patience.
    std::optional<std::string> nextLine();
    /// What is left on its stdout, up to the end.
    std::string restOfOutput();
    /// All that it has written to stderr so far.
    std::string errors() const;

    /// "exit 0", "signal 9"; "running" if it does not end in time.
    std::string waitForEnd(std::chrono::milliseconds limit = kPatience);
    bool running() { return waitForEnd(std::chrono::milliseconds{0}) == "running"; }

  private:
    bool readSome();

    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    int errors_ = -1;  // a file in memory: a talkative program never waits
    std::string unread_;
    std::string ended_;
};

}  // namespace gazellemq::test
