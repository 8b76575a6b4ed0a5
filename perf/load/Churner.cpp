#include <condition_variable>
#include <mutex>

#include "HubPublisher.hpp"
#include "HubSubscriber.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kTopics = 5;
constexpr std::uint64_t kMessages = 10;
constexpr std::chrono::milliseconds kPause{20};

/// Counts what arrives, for a thread that waits.
class Counter {
  public:
    void add() {
        std::lock_guard const lock{mutex_};
        ++count_;
        changed_.notify_all();
    }
    void waitFor(std::uint64_t count) {
        std::unique_lock lock{mutex_};
        if (changed_.wait_for(lock, LinkState::kLimit, [&] { return count_ >= count; })) return;
        throw Failure{"on new topics only " + std::to_string(count_) + " of " + std::to_string(count) +
                      " messages arrived"};
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t count_ = 0;
};

/// Two new links, topics that nobody has used before, a few messages.
void churn(RoleSpec const& spec, std::string const& prefix) {
    Counter received;
    HubSubscriber subscriber{spec};
    for (std::uint64_t i = 0; i < kTopics; ++i)
        subscriber.subscribe(topicName(prefix, i), [&received](client::Message const&) { received.add(); });
    subscriber.connect();
    HubPublisher publisher{spec};
    for (std::uint64_t i = 0; i < kTopics * kMessages; ++i)
        publisher.publish(topicName(prefix, i % kTopics), "a message on a new topic");
    publisher.flush();
    received.waitFor(kTopics * kMessages);
    subscriber.drain();
}

}  // namespace

/// Connects, uses new topics and disconnects, over and over until it is told to stop.
void runChurner(RoleSpec const& spec, ParentLink& parent) {
    parent.send("ready");
    std::uint64_t rounds = 0;
    while (!parent.waitFor("stop", kPause)) churn(spec, spec.topicPrefix + "." + std::to_string(rounds++));
    parent.send("result", {{"rounds", rounds}});
}

}  // namespace gazellemq::perf
