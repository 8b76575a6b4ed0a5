#include "HubProcess.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <poll.h>

#include "Failure.hpp"
#include "Programs.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::chrono::seconds kStopLimit{10};
constexpr std::chrono::seconds kAnswerLimit{10};
constexpr std::chrono::milliseconds kLook{10};
constexpr long kLogBytes = 4000;
constexpr int kStarts = 20;

std::vector<std::string> withListen(std::string url, std::vector<std::string> options) {
    options.insert(options.end(), {"--listen", std::move(url), "--data-dir", "none"});
    return options;
}

}  // namespace

HubProcess::HubProcess(Route const& route, std::vector<std::string> const& options)
    : folder_(route.transport),
      timeout_(route.timeout),
      options_(options),
      log_(std::tmpfile(), std::fclose),
      url_(folder_.url("hub")) {
    start();
}

void HubProcess::start() {
    process_.emplace("gazelle-hub", hubProgram(), withListen(url_, options_), log_ ? fileno(log_.get()) : -1);
    url_ = waitForUrl();
}

void HubProcess::startAgain() {
    // A client that tries to connect meanwhile may have got the hub's port for its own end, for a moment.
    for (auto left = kStarts;; --left) {
        try {
            return start();
        } catch (Failure const&) {
            if (left == 1) throw;
        }
    }
}

std::string HubProcess::waitForUrl() {
    pollfd output{.fd = process_->outputFd(), .events = POLLIN, .revents = 0};
    while (poll(&output, 1, static_cast<int>(timeout_.count())) == 1 && process_->read()) {
        if (auto const line = process_->nextLine()) {
            auto const scheme = line->find("://");
            if (scheme != std::string::npos) return line->substr(line->rfind(' ', scheme) + 1);
        }
    }
    auto const end = process_->waitForEnd(std::chrono::milliseconds{100});
    throw Failure{"gazelle-hub does not serve: " + end.value_or("no ready line") + log()};
}

void HubProcess::stop() {
    process_->terminate();
    auto const end = process_->waitForEnd(kStopLimit);
    if (!end)
        throw Failure{"gazelle-hub did not end within " + std::to_string(kStopLimit.count()) +
                      " s of SIGTERM"};
    if (*end != "exit code 0") throw Failure{"gazelle-hub ended with " + *end};
}

HubHoldings HubProcess::holdings() {
    auto const before = logSize();
    ::kill(process_->pid(), SIGUSR2);
    for (auto waited = std::chrono::milliseconds{0}; waited < kAnswerLimit; waited += kLook) {
        if (auto const holdings = holdingsIn(logFrom(before))) return *holdings;
        std::this_thread::sleep_for(kLook);
    }
    throw Failure{"gazelle-hub did not log its statistics at SIGUSR2" + log()};
}

long HubProcess::logSize() const {
    if (!log_ || std::fseek(log_.get(), 0, SEEK_END) != 0) return 0;
    return std::max(0L, std::ftell(log_.get()));
}

std::string HubProcess::logFrom(long position) const {
    std::string text(static_cast<std::size_t>(std::max(0L, logSize() - position)), '\0');
    if (text.empty()) return text;
    std::fseek(log_.get(), position, SEEK_SET);
    text.resize(std::fread(text.data(), 1, text.size(), log_.get()));
    return text;
}

std::string HubProcess::log() const {
    auto const text = logFrom(std::max(0L, logSize() - kLogBytes));
    return text.empty() ? text : "\nThe end of its log:\n" + text;
}

}  // namespace gazellemq::perf
