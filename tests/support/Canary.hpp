#pragma once
#include <chrono>
#include <string>

#include "PublisherClient.hpp"
#include "Received.hpp"
#include "Stamp.hpp"

namespace gazellemq::test {

/// A publisher and a subscriber on a topic of their own: while they are served and lose nothing, the hub is well.
class Canary {
  public:
    explicit Canary(std::string const& url) {
        publisher_.onStateChange([this](client::StateChange const& change) { states_.add(change.state); });
        publisher_.connectToHub("canary publisher", url);
        subscriber_.client.connectToHub("canary subscriber", url);
        subscriber_.subscribe(kTopic);
    }

    /// Sends some messages and waits for them. What is wrong, or "".
    std::string trouble() {
        auto const start = std::chrono::steady_clock::now();
        for (int i = 0; i < 3; ++i) {
            if (publisher_.publish(kTopic, stamped(1, sent_++)) != Error::ok) return "the canary cannot publish";
        }
        if (publisher_.flush(kPatience) != Error::ok) return "the canary's messages are not confirmed";
        if (!subscriber_.messages.waitFor(sent_)) return "the canary's messages do not arrive";
        took_ = std::chrono::steady_clock::now() - start;
        StampCheck check;
        for (auto const& payload : subscriber_.payloads()) check.take(payload);
        if (check.count != sent_ || !check.perfect()) return "the canary's messages arrive wrongly";
        if (states_.size() > 2 || subscriber_.states.size() > 2) return "the canary lost a link";
        return {};
    }

    /// How long the last messages were under way.
    std::chrono::nanoseconds took() const { return took_; }

  private:
    static constexpr char const* kTopic = "canary";

    std::uint64_t sent_ = 0;
    std::chrono::nanoseconds took_{0};
    Inbox<client::State> states_;
    client::PublisherClient publisher_;
    TestSubscriber subscriber_;
};

}  // namespace gazellemq::test
