#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "Failure.hpp"
#include "gazellemq/Options.hpp"

namespace gazellemq::perf {

/// Follows the link of an SDK client, so that the main thread can wait for it to be ready and say why it is
/// not. Must live longer than the client.
class LinkState {
  public:
    /// Connecting and subscribing may take this long; a longer --timeout is for the messages.
    static constexpr std::chrono::seconds kLimit{15};

    /// For onStateChange; any thread.
    void note(client::StateChange const& change) {
        std::lock_guard const lock{mutex_};
        if (change.state == client::State::ready) ready_ = true;
        if (!change.reason.empty()) reason_ = change.reason;
        changed_.notify_all();
    }

    void waitUntilReady(std::string const& hub) {
        std::unique_lock lock{mutex_};
        if (changed_.wait_for(lock, kLimit, [this] { return ready_; })) return;
        throw Failure{"no connection to " + hub + " within " + std::to_string(kLimit.count()) +
                      " s: " + (reason_.empty() ? "no answer" : reason_)};
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ready_ = false;
    std::string reason_;
};

}  // namespace gazellemq::perf
