#pragma once
#include <stdlib.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "HubProcess.hpp"
#include "RawClient.hpp"
#include "Waiting.hpp"

namespace gazellemq::test {

/// A sanitizer's own memory is not the hub's.
inline constexpr bool kMemoryTells = !GAZELLE_SANITIZED;

/// A gazelle-hub in a process of its own, on a port and on a Unix socket.
class TwoWayHub {
  public:
    explicit TwoWayHub(std::vector<std::string> options) {
        auto folder = (std::filesystem::temp_directory_path() / "gazelle-XXXXXX").string();
        if (!::mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
        folder_ = folder;
        options.insert(options.end(), {"--listen", "unix://" + path()});
        hub_.emplace(options);
    }
    ~TwoWayHub() { std::filesystem::remove_all(folder_); }
    TwoWayHub(TwoWayHub const&) = delete;
    TwoWayHub& operator=(TwoWayHub const&) = delete;

    std::string url(bool overUnix) const { return overUnix ? "unix://" + path() : hub_->url(); }
    /// With as little room as can be for what is not read.
    std::unique_ptr<RawClient> connect(bool overUnix) const {
        return overUnix ? std::make_unique<RawClient>(path()) : std::make_unique<RawClient>(hub_->port(), 4096);
    }
    /// In bytes: a line of /proc/PID/status, such as "VmRSS:".
    std::size_t memory(std::string_view line) {
        std::ifstream status{"/proc/" + std::to_string(pid()) + "/status"};
        std::size_t kilobytes = 0;
        for (std::string word; status >> word;) {
            if (word == line && status >> kilobytes) break;
        }
        return kilobytes * 1024;
    }
    pid_t pid() { return hub_->process().pid(); }
    /// All that it has logged so far.
    std::string log() { return hub_->process().errors(); }
    /// One of the statistics that it logs at SIGUSR2, such as "topics"; nothing if it does not answer.
    std::optional<std::uint64_t> statistic(std::string const& name) {
        auto const before = log().size();
        hub_->signal(SIGUSR2);
        std::string line;
        eventually([&] {
            auto const text = log().substr(before);
            auto const at = text.find("statistics:");
            if (at == std::string::npos || text.find('\n', at) == std::string::npos) return false;
            line = text.substr(at, text.find('\n', at) - at);
            return true;
        });
        auto const word = " " + name + "=";
        auto const at = line.find(word);
        if (at == std::string::npos) return std::nullopt;
        return std::stoull(line.substr(at + word.size()));
    }
    std::string stop() { return hub_->stop(); }

  private:
    std::string path() const { return folder_ + "/hub.sock"; }

    std::string folder_;
    std::optional<HubProcess> hub_;
};

}  // namespace gazellemq::test
