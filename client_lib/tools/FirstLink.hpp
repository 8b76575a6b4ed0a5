#pragma once
#include <condition_variable>
#include <mutex>
#include <string>

#include "Ask.hpp"
#include "gazellemq/Options.hpp"

namespace gazellemq::tools {

/// Waits for a client's first link: a command that cannot reach its hub says so at once, a running one survives lost links.
class FirstLink {
  public:
    /// From the client's onStateChange.
    void note(client::StateChange const& change) {
        std::lock_guard const lock{mutex_};
        if (state_ == client::State::ready || state_ == client::State::disconnected) return;
        state_ = change.state;
        reason_ = change.reason.empty() ? std::string{describe(change.error)} : change.reason;
        changed_.notify_all();
    }

    /// Throws Failure.
    void wait(Global const& global) {
        std::unique_lock lock{mutex_};
        auto const known = [&] { return state_ == client::State::ready || state_ == client::State::disconnected; };
        if (!changed_.wait_for(lock, global.timeout, known)) reason_ = "no answer in time";
        if (state_ == client::State::ready) return;
        throw Failure{Error::linkLost, global.hub + ": the hub cannot be reached: " + reason_ + "; is gazelle-hub running there? (--hub URL, or GAZELLE_HUB)"};
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    client::State state_ = client::State::connecting;
    std::string reason_;
};

}  // namespace gazellemq::tools
