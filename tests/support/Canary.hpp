#pragma once
#include <atomic>
#include <chrono>
#include <string>

#include "PublisherClient.hpp"
#include "Stamp.hpp"
#include "SubscriberClient.hpp"
#include "Waiting.hpp"

namespace gazellemq::test {

/// A publisher and a subscriber on a topic of their own: while they are served and lose nothing, the hub is well.
class Canary {
  public:
    explicit Canary(std::string const& url) {
        publisher_.onStateChange([this](client::StateChange const& change) { states_.add(change.state); });
        publisher_.connectToHub("canary publisher", url);
        subscriber_.onStateChange([this](client::StateChange const& change) { states_.add(change.state); });
        subscriber_.connectToHub("canary subscriber", url);
        subscriber_.subscribe(kTopic, [this](client::Message const& message) {
            check_.take(message.payload);
            perfect_ = check_.perfect();
            arrived_.add(true);
        });
        subscriber_.waitUntilSubscribed(kPatience);
    }

    /// Sends some messages and waits for them. What is wrong, or "".
    std::string trouble() {
        auto const start = std::chrono::steady_clock::now();
        for (int i = 0; i < 3; ++i) {
            if (publisher_.publish(kTopic, stamped(1, sent_++)) != Error::ok) return "the canary cannot publish";
        }
        if (publisher_.flush(kPatience) != Error::ok) return "the canary's messages are not confirmed";
        if (!arrived_.waitFor(sent_)) return "the canary's messages do not arrive";
        took_ = std::chrono::steady_clock::now() - start;
        if (arrived_.size() != sent_ || !perfect_) return "the canary's messages arrive wrongly";
        if (states_.size() > 4) return "the canary lost a link";
        return {};
    }

    /// How long the last messages were under way.
    std::chrono::nanoseconds took() const { return took_; }

  private:
    static constexpr char const* kTopic = "canary";

    std::uint64_t sent_ = 0;
    std::chrono::nanoseconds took_{0};
    StampCheck check_;  // the callback's
    std::atomic<bool> perfect_{true};
    Inbox<bool> arrived_;
    Inbox<client::State> states_;
    client::PublisherClient publisher_;
    client::SubscriberClient subscriber_;
};

}  // namespace gazellemq::test
