#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

#include "Meters.hpp"
#include "PublisherClient.hpp"
#include "Require.hpp"
#include "Role.hpp"
#include "SubscriberClient.hpp"

namespace gazellemq::perf {
namespace {

/// A number that threads of the SDK change and the main thread waits for.
class Tally {
  public:
    void add(std::int64_t change) {
        std::lock_guard const lock{mutex_};
        value_ += change;
        changed_.notify_all();
    }
    void waitFor(std::int64_t value, std::chrono::milliseconds limit, std::string const& what) {
        std::unique_lock lock{mutex_};
        if (changed_.wait_for(lock, limit, [&] { return value_ == value; })) return;
        throw Failure{std::to_string(value_) + " instead of " + std::to_string(value) + " " + what};
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t value_ = 0;
};

/// What the clients of one process have in common.
struct Counts {
    Tally links;     ///< that are ready
    Tally messages;  ///< that have arrived
};

/// Keeps a link's part of Counts::links. Its client's callback thread.
class LinkCount {
  public:
    explicit LinkCount(Tally& links) : links_(links) {}
    void note(client::StateChange const& change) {
        auto const ready = change.state == client::State::ready;
        if (ready != std::exchange(ready_, ready)) links_.add(ready ? 1 : -1);
    }

  private:
    Tally& links_;
    bool ready_ = false;
};

/// A subscriber and a publisher on a topic of their own, with the SDK's defaults.
class ReconnectingClient {
  public:
    ReconnectingClient(RoleSpec const& spec, std::uint64_t number, Counts& counts)
        : limit_(spec.timeout()),
          topic_(topicName(spec.topicPrefix + "." + std::to_string(spec.index), number)),
          subscriberLink_(counts.links),
          publisherLink_(counts.links) {
        subscriber_.onStateChange([this](client::StateChange const& change) { subscriberLink_.note(change); });
        publisher_.onStateChange([this](client::StateChange const& change) { publisherLink_.note(change); });
        require(subscriber_.subscribe(topic_, [&counts](client::Message const&) { counts.messages.add(1); }).error(),
                "subscribing to " + topic_);
        require(subscriber_.connectToHub("gazelle-perf reconnecting subscriber", spec.hub), spec.hub);
        require(publisher_.connectToHub("gazelle-perf reconnecting publisher", spec.hub), spec.hub);
    }

    void waitUntilSubscribed() { require(subscriber_.waitUntilSubscribed(limit_), "subscribing to " + topic_); }
    void publish() { require(publisher_.publish(topic_, "still there"), "publishing to " + topic_); }

  private:
    std::chrono::milliseconds limit_;
    std::string topic_;
    LinkCount subscriberLink_;
    LinkCount publisherLink_;
    client::SubscriberClient subscriber_;
    client::PublisherClient publisher_;
};

/// All clients of this process.
class ReconnectingClients {
  public:
    explicit ReconnectingClients(RoleSpec const& spec) : limit_(spec.timeout()) {
        for (std::uint64_t i = 0; i < spec.workload.subscribers; ++i) clients_.emplace_back(spec, i, counts_);
    }

    void waitUntilLost() { counts_.links.waitFor(0, limit_, "links are ready of a hub that is gone"); }
    /// Linked and subscribed.
    void waitUntilReady() {
        counts_.links.waitFor(2 * size(), limit_, "links are ready");
        for (auto& client : clients_) client.waitUntilSubscribed();
    }
    /// Each sends itself a message.
    void check() {
        for (auto& client : clients_) client.publish();
        counts_.messages.waitFor(expected_ += size(), limit_, "messages have arrived");
    }

  private:
    std::int64_t size() const { return static_cast<std::int64_t>(clients_.size()); }

    std::chrono::milliseconds limit_;
    std::int64_t expected_ = 0;
    Counts counts_;  // before the clients, whose callbacks use it
    std::list<ReconnectingClient> clients_;
};

}  // namespace

/// Each time it is told to "go" its hub is gone: it waits until all links are lost ("down") and ready again
/// ("complete"), and then sends a message on each ("checked").
void runReconnectingClients(RoleSpec const& spec, ParentLink& parent) {
    ReconnectingClients clients{spec};
    clients.waitUntilReady();
    clients.check();
    parent.send("ready");
    for (std::uint64_t run = 0; run < spec.workload.messages; ++run) {
        parent.waitFor("go");
        clients.waitUntilLost();
        parent.send("down");
        clients.waitUntilReady();
        parent.send("complete", {{"end_ns", monotonicNs()}});
        clients.check();
        parent.send("checked");
    }
}

}  // namespace gazellemq::perf
