#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Batch.hpp"
#include "CallbackThread.hpp"
#include "Fork.hpp"
#include "InTopics.hpp"
#include "Link.hpp"
#include "SubscriberClient.hpp"

namespace gazellemq::client {

/// SubscriberClient's inside: the subscriptions, the Link that carries them, and the callbacks. Shared by the client and
/// by the callbacks that are queued. The link's lock guards everything but the callback thread.
class SubscriberClient::Impl final : public LinkUser, public std::enable_shared_from_this<SubscriberClient::Impl> {
  public:
    using Millis = std::chrono::milliseconds;

    Error connect(std::string_view name, std::vector<transport::Url> hubs, SubscriberOptions const& options);
    /// The id, or the error.
    std::pair<Error, std::uint32_t> subscribe(std::string_view pattern, InTopic::Callback callback, SubscribeOptions const& options);
    Error unsubscribe(std::string_view pattern);
    Error unsubscribe(std::uint32_t id);
    std::optional<ReceivedMessage> receive(Millis timeout);
    Error waitUntilSubscribed(Millis timeout);
    Error drain(Millis timeout);
    void close();
    SubscriberStats stats();
    State state();

    OnReady onReady;
    OnStateChange onStateChange;
    OnDropped onDropped;
    OnGap onGap;
    OnError onError;

    Link link{*this};
    /// This is the process that made the client. Asked before the lock is taken.
    bool isHere() const { return ForkCount::now() == forks_; }

    /// Sets a callback. What it replaces is left in `callback`, to be freed without the lock: it may own clients.
    template <typename Function>
    void set(Function& member, Function& callback) {
        Link::Lock const lock{link.mutex};
        member.swap(callback);
    }

  private:
    using Lock = Link::Lock;

    std::uint32_t const forks_ = ForkCount::now();

    /// The batches of one DELIVER frame, on their way to a callback or to receive().
    struct Delivery {
        InTopics::Ptr topic;
        InTopic::Name name;
        protocol::BufferRef buffer;
        protocol::ByteView batches;
    };
    /// A Delivery that receive() is in the middle of.
    struct Pulled;

    void linkUp(protocol::Welcome const& welcome) override;
    void linkDown(Error error, std::string const& reason) override;
    void stateChanged(StateChange change) override;
    bool onFrame(protocol::Frame const& frame, protocol::BufferRef const& buffer) override;
    void onReadDone() override;
    void fill(protocol::OutputQueue&, std::vector<std::byte>&) override {}
    void written(std::size_t) override {}
    std::optional<Clock::time_point> flushLeftovers(Clock::time_point) override { return std::nullopt; }
    bool mayConnect() override;
    bool takeReading() override;
    bool lendsReading() const override { return true; }
    void readHere();

    bool onDeliver(protocol::ByteView body, protocol::BufferRef const& buffer);
    void onReply(protocol::Reply const& reply);
    void onTopicNamed(protocol::TopicNamed const& named);
    void onTopicGone(protocol::TopicGone const& gone);
    std::optional<ReceivedMessage> nextPulled();
    void dropPulled(Lock& lock);
    void onDroppedFrame(protocol::Dropped const& dropped);
    void onGapFrame(protocol::Gap const& gap);
    void queueDeliveries();

    void deliver(Delivery const& delivery);
    void deliverBatch(Delivery const& delivery, protocol::BatchHeader const& header, protocol::ByteView batch);
    using Batch = std::pair<protocol::BatchHeader, protocol::ByteView>;
    /// The next batch of `rest`, cut off its front; empty if it is damaged, with which the rest is given up.
    std::optional<Batch> nextBatch(protocol::ByteView& rest) const;
    void handled(Lock& lock, InTopic& topic, std::size_t bytes);
    void noteProgress();
    void tellProgress(Lock& lock, bool pull);
    void tellDamage(std::string_view topic);
    template <typename Callback>
    void guard(Callback&& callback);
    Error finish(std::vector<InTopics::Ptr> const& topics);
    template <typename Function, typename... Args>
    void call(Function Impl::*callback, Args... args);

    SubscriberOptions options_;
    InTopics topics_{SubscriberOptions{}.receiveWindowBytes};
    bool closed_ = false;
    bool draining_ = false;
    bool drained_ = false;           // the hub has answered DRAIN, or the link went
    std::vector<Delivery> arrived_;  // of the read under way
    std::deque<Delivery> toPull_;
    std::shared_ptr<Pulled> pulled_;
    Clock::time_point toldPulled_{};  // when the hub was told that receive() is called
    std::uint64_t handledCount_ = 0;
    std::optional<std::uint64_t> stalledAt_;  // handledCount_ when the hub gave up on this client as stalled
    SubscriberStats stats_;
    std::condition_variable_any changed_;  // replies, pulled messages, drain, close

    // Of the callback thread.
    std::string text_;
    std::vector<Message> messages_;
    unsigned sinceLook_ = 0;
    unsigned lookEvery_ = 1;
    Clock::time_point lastLook_{};
    Clock::time_point toldProgress_{};

    std::shared_ptr<protocol::BufferPool> const smallBuffers_ = protocol::BufferPool::create(1, 0);

    std::mutex runningMutex_;
    std::condition_variable ranOut_;
    InTopic const* running_ = nullptr;  // the subscription whose callback runs; guarded by runningMutex_

    CallbackThread callbacks_;
};

}  // namespace gazellemq::client
