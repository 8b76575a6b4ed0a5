#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ChildProcess.hpp"

namespace gazellemq::test {

/// A gazelle-hub in a process of its own, on a port of the loopback interface that the system chose, and on the addresses that its
/// options name.
class HubProcess {
  public:
    /// Serves when this returns; throws std::runtime_error with what it said on stderr otherwise.
    explicit HubProcess(std::vector<std::string> options = {}, ChildProcess::Setup setup = {});

    std::uint16_t port() const { return port_; }
    std::string url() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
    ChildProcess& process() { return *process_; }

    void signal(int number) const { process_->signal(number); }
    /// SIGTERM, and waits. How it ended.
    std::string stop();
    /// SIGKILL, and waits.
    void kill();
    /// Again, on the same port.
    void start();

    /// "gazelle-hub ...", to start one that need not serve.
    static ChildProcess::Setup command(std::vector<std::string> const& options, ChildProcess::Setup setup = {});
    /// The port on which a process listens, found without its help; 0 if it does not listen in time.
    static std::uint16_t listeningPort(pid_t pid);

  private:
    std::vector<std::string> const options_;
    ChildProcess::Setup const setup_;
    std::uint16_t port_ = 0;
    std::unique_ptr<ChildProcess> process_;
};

}  // namespace gazellemq::test
