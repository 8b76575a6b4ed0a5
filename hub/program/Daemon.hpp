#pragma once
#include <string>

namespace gazellemq::hub {

/// Goes into the background in two steps, so that whoever starts the daemon learns whether it serves: the constructor
/// forks, and its caller goes on in the child; the parent waits for ready() and exits with 0, or with the child's exit code if the
/// child ends before. What the child writes to stdout and stderr until then is seen. To be made before any thread is started.
class Daemon {
  public:
    /// Throws std::system_error.
    Daemon();
    ~Daemon();
    Daemon(Daemon const&) = delete;
    Daemon& operator=(Daemon const&) = delete;

    /// Leaves the terminal, the directory and the standard descriptors, and lets the parent exit.
    void ready();

  private:
    int toParent_ = -1;
};

}  // namespace gazellemq::hub
