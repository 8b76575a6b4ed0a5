#pragma once
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CallbackThread.hpp"
#include "Fork.hpp"
#include "Link.hpp"
#include "Outbox.hpp"
#include "PublisherClient.hpp"

namespace gazellemq::client {

/// PublisherClient's inside: the Outbox, the Link that carries it, and the callbacks. Shared by the client and by the
/// callbacks that are queued. The link's lock guards everything but the callback thread.
class PublisherClient::Impl final : public LinkUser, public std::enable_shared_from_this<PublisherClient::Impl> {
  public:
    using Millis = std::chrono::milliseconds;

    Impl();
    ~Impl();

    Error connect(std::string_view name, std::vector<transport::Url> hubs, PublisherOptions const& options);
    Error publish(std::string_view topic, std::string_view payload);
    Error publish(std::string_view topic, std::string_view payload, MessageProperties const& properties);
    Error publishBatch(std::string_view topic, std::span<std::string_view const> payloads);
    Error flush(Millis timeout);
    std::uint64_t close(Millis timeout);
    /// close() with the options' closeTimeout.
    void closeAtEnd();
    PublisherStats stats();
    std::optional<std::uint32_t> subscriptions(std::string_view topic);
    State state();

    OnReady onReady;
    OnStateChange onStateChange;
    OnPublishFailed onPublishFailed;
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

    void linkUp(protocol::Welcome const& welcome) override;
    void linkDown(Error error, std::string const& reason) override;
    void stateChanged(StateChange change) override;
    bool onFrame(protocol::Frame const& frame, protocol::BufferRef const& buffer) override;
    void onReadDone() override;
    void topicDeleted(protocol::Notice const& notice);
    void afterRead() override;
    void fill(protocol::OutputQueue& output, std::vector<std::byte>& control) override;
    void written(std::size_t bytes) override;
    std::optional<Clock::time_point> flushLeftovers(Clock::time_point now) override;

    Error makeRoom(Lock& lock, std::size_t bytes);
    void pace(Lock& lock, OutTopic& topic);
    Error publishAtLimit(Lock& lock, std::string_view topic, std::string_view payload, MessageProperties const& properties, Envelope envelope);
    static Error choosePartition(OutTopic const& topic, MessageProperties const& properties, Envelope& envelope);
    OutTopic* find(std::string_view topic, Error& error);
    void appended(Lock& lock, OutTopic& topic, bool filled);
    void startFlush(Lock& lock);
    bool mayWriteAtOnce(Clock::time_point now);
    void writeFilled(Lock& lock);
    void wakeFlusher();
    void tellFailures();
    void settled();
    template <typename Function, typename... Args>
    void call(Function Impl::*callback, Args... args);

    PublisherOptions options_;
    Outbox outbox_;
    OutTopic* lastTopic_ = nullptr;
    std::vector<std::byte> spareHeaders_;
    bool closed_ = false;
    std::uint64_t unconfirmedAtClose_ = 0;
    std::uint64_t flushedLost_ = 0;     // lost() at the last flush
    std::uint64_t flushedRefused_ = 0;  // refused() at the last flush
    Error lastRefusal_ = Error::ok;
    std::uint64_t fullBatchesSeen_ = 0;
    std::uint64_t fullBatchesAtStart_ = 0;  // of the last batch that was begun
    std::uint64_t publishedSeen_ = 0;   // when the flusher last sealed
    Clock::duration rest_;              // of the link, before an open batch leaves
    Clock::duration restMissing_{};     // after the last write at once
    Clock::time_point quietSince_{};
    Clock::time_point nextLook_{};      // when the flusher wanted to look again
    bool flusherActive_ = false;        // the link's thread looks after open batches by itself
    std::size_t roomWaiters_ = 0;
    std::vector<OutTopic const*> paced_;  // what threads wait for in pace()
    bool wakePaced_ = false;            // of the thread that reads
    std::size_t flushWaiters_ = 0;
    std::condition_variable_any room_;
    std::condition_variable_any caughtUp_;
    std::condition_variable_any settled_;
    CallbackThread callbacks_;
};

}  // namespace gazellemq::client
