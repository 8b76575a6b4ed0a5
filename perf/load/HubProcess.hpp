#pragma once
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ChildProcess.hpp"
#include "HubHoldings.hpp"
#include "SocketFolder.hpp"

namespace gazellemq::perf {

/// A gazelle-hub on an address of its own, for one run. What it logs is kept in a file without a name and
/// read when something fails.
class HubProcess {
  public:
    /// Over the transport of `route`, within its timeout. Returns when the hub serves. Throws Failure with
    /// the hub's log if it does not.
    explicit HubProcess(Route const& route, std::vector<std::string> const& options = {});

    std::string const& url() const { return url_; }
    ChildProcess& process() { return *process_; }
    /// Asks it to end and waits for that. Throws Failure if it does not, or not with exit code 0.
    void stop();
    /// SIGKILL, and waits until it is gone.
    void kill() { process_.reset(); }
    /// After kill(), on the same address. Returns when it serves.
    void startAgain();
    /// Asks it for its statistics and waits for the line in its log. Throws Failure if there is none in time.
    HubHoldings holdings();
    /// The end of what it logged, with a heading; empty if it logged nothing.
    std::string log() const;

  private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    void start();
    std::string waitForUrl();
    long logSize() const;
    std::string logFrom(long position) const;

    SocketFolder folder_;
    std::chrono::milliseconds timeout_;
    std::vector<std::string> options_;
    File log_;
    std::string url_;
    std::optional<ChildProcess> process_;
};

}  // namespace gazellemq::perf
