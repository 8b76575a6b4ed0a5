#include "HubProcess.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gazellemq::test {
namespace {

constexpr std::string_view kReady = "gazelle-hub is ready on ";
constexpr std::string_view kTcp = "tcp://127.0.0.1:";

/// Inodes of the sockets that a process has open.
std::set<std::string> socketsOf(pid_t pid) {
    std::set<std::string> inodes;
    std::error_code gone;
    for (auto const& entry : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fd", gone}) {
        auto const target = std::filesystem::read_symlink(entry.path(), gone).string();
        if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
    }
    return inodes;
}

std::uint16_t findListeningPort(pid_t pid) {
    auto const sockets = socketsOf(pid);
    std::ifstream table{"/proc/net/tcp"};
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
        std::istringstream fields{line};
        std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, inode;
        fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
        if (state == "0A" && sockets.contains(inode)) {
            return static_cast<std::uint16_t>(std::stoul(local.substr(local.find(':') + 1), nullptr, 16));
        }
    }
    return 0;
}

}  // namespace

ChildProcess::Setup HubProcess::command(std::vector<std::string> const& options, ChildProcess::Setup setup) {
    setup.words = {GAZELLE_HUB};
    setup.words.insert(setup.words.end(), options.begin(), options.end());
    // Several hubs of the tests run in one folder.
    if (std::find(options.begin(), options.end(), "--data-dir") == options.end()) setup.words.insert(setup.words.end(), {"--data-dir", "none"});
    return setup;
}

HubProcess::HubProcess(std::vector<std::string> options, ChildProcess::Setup setup)
    : options_(std::move(options)), setup_(std::move(setup)) {
    start();
}

void HubProcess::start() {
    auto options = options_;
    options.insert(options.end(), {"--listen", url()});
    std::string problem;
    // Between two starts another process may have got the port for a moment, for one end of a connection.
    auto const serves = eventually([&] {
        process_ = std::make_unique<ChildProcess>(command(options, setup_));
        auto const line = process_->nextLine();
        auto const tcp = line && line->starts_with(kReady) ? line->find(kTcp) : std::string::npos;
        if (tcp != std::string::npos) {
            port_ = static_cast<std::uint16_t>(std::stoul(line->substr(tcp + kTcp.size())));
            return true;
        }
        process_->waitForEnd();
        problem = process_->errors();
        return false;
    });
    if (!serves) throw std::runtime_error("gazelle-hub does not serve: " + problem);
}

std::string HubProcess::stop() {
    process_->signal(SIGTERM);
    return process_->waitForEnd();
}

void HubProcess::kill() {
    process_->signal(SIGKILL);
    process_->waitForEnd();
}

std::uint16_t HubProcess::listeningPort(pid_t pid) {
    std::uint16_t port = 0;
    return eventually([&] { return (port = findListeningPort(pid)) != 0; }) ? port : std::uint16_t{0};
}

}  // namespace gazellemq::test
