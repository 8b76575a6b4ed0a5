#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gazellemq/Error.hpp"
#include "gazellemq/Message.hpp"
#include "gazellemq/Options.hpp"
#include "gazellemq/SubscribeOptions.hpp"

namespace gazellemq::client {

class SubscriberClient;

/// What subscribe() returns: the error, if any, and a way to go on with the client in the same expression.
class Subscribed {
  public:
    Subscribed(SubscriberClient& client, Error error, std::uint32_t id) : client_(client), error_(error), id_(id) {}
    Error error() const { return error_; }
    /// For unsubscribe(id); 0 if there was an error.
    std::uint32_t id() const { return id_; }
    operator Error() const { return error_; }
    operator SubscriberClient&() const { return client_; }

    template <typename Callback>
    Subscribed subscribe(std::string_view topic, Callback&& callback, SubscribeOptions const& options = {}) const;
    template <std::integral Port>
    Error connectToHub(std::string_view name, std::string_view host, Port port) const;
    Error connectToHub(std::string_view name, std::string_view url, SubscriberOptions const& options = {}) const;

  private:
    SubscriberClient& client_;
    Error error_;
    std::uint32_t id_;
};

/// Counts since construction.
struct SubscriberStats {
    std::uint64_t received = 0;   ///< messages handed to a callback or to receive()
    std::uint64_t dropped = 0;    ///< messages the hub dropped because this client was slow (told to onDropped)
    std::uint64_t damaged = 0;    ///< batches whose checksum or layout was wrong (told to onError)
    std::uint64_t queuedBytes = 0;  ///< received, waiting for a callback or for receive()
};

/// Receives messages from a hub. Subscriptions may be made before and after connectToHub and survive lost links.
///
/// Every function may be called from any thread and from any callback. Callbacks run one after the other on
/// the client's callback thread, which is not its I/O thread: a slow callback delays other callbacks of this client, never its
/// heartbeats. An exception that leaves a callback is told to onError; the next message is delivered. Not movable. May be unloaded
/// with the shared library that it is linked into: see PublisherClient.
class SubscriberClient {
  public:
    using OnString = std::function<void(std::string&&)>;
    using OnMessage = std::function<void(Message const&)>;
    using OnMessages = std::function<void(std::span<Message const>)>;
    using OnReady = std::function<void()>;
    using OnStateChange = std::function<void(StateChange const&)>;
    using OnDropped = std::function<void(std::string_view topic, std::uint64_t count)>;
    using OnGap = std::function<void(std::string_view topic, std::uint16_t partition, std::uint64_t firstMissing, std::uint64_t firstAvailable)>;
    using OnError = std::function<void(Error code, std::string_view reason)>;

    SubscriberClient();
    /// close(). Safe in a callback of this client too.
    ~SubscriberClient();
    SubscriberClient(SubscriberClient const&) = delete;
    SubscriberClient& operator=(SubscriberClient const&) = delete;

    /// Starts connecting to tcp://host:port and keeps at it for ever, also after a lost link. Returns at once.
    /// Errors: alreadyConnected, invalidUrl, invalidOption, closed. (A template, so that `{}` as third argument means options.)
    template <std::integral Port>
    Error connectToHub(std::string_view name, std::string_view host, Port port) {
        return std::in_range<std::uint16_t>(port) ? connectToPort(name, host, static_cast<std::uint16_t>(port)) : Error::invalidUrl;
    }
    Error connectToHub(std::string_view name, std::string_view url, SubscriberOptions const& options = {});
    /// Several hubs: the next is tried when one cannot be reached or its link is lost. Messages are not copied between hubs.
    Error connectToHub(std::string_view name, std::initializer_list<std::string_view> urls, SubscriberOptions const& options = {});
    Error connectToHub(std::string_view name, std::vector<std::string> const& urls, SubscriberOptions const& options = {});

    /// `topic` is a name (`a.b`), or a pattern with `*` for one level and a last `>` for one or more. Messages published after the
    /// hub has the subscription (see waitUntilSubscribed) are delivered. A slow reader of a name slows the publishers (after 10 s of standstill it is
    /// disconnected); of a pattern it loses the oldest messages (told to onDropped).
    /// `options` say where it begins, and what becomes of it when it is slow. Subscribing twice gives two copies. Errors: a name rule,
    /// noSuchPartition (65,535), closed; what the hub refuses (policyNotAllowed, noSuchPartition) is told by waitUntilSubscribed and onError.
    Subscribed subscribe(std::string_view topic, OnString callback, SubscribeOptions const& options = {});
    Subscribed subscribe(std::string_view topic, OnMessage callback, SubscribeOptions const& options = {});
    /// The messages of one batch at a time: the fastest form.
    Subscribed subscribe(std::string_view topic, OnMessages callback, SubscribeOptions const& options = {});
    /// Pull style: messages wait (at most receiveWindowBytes) for receive().
    Subscribed subscribe(std::string_view topic, SubscribeOptions const& options = {});

    /// Ends every subscription made with exactly `topic`. When it returns on another thread than the callback's, no
    /// callback of it runs or will run; it waits for one that is running. Errors: notSubscribed, closed.
    Error unsubscribe(std::string_view topic);
    Error unsubscribe(std::uint32_t id);

    /// The next message of the pull subscriptions; empty after `timeout` or close.
    std::optional<ReceivedMessage> receive(std::chrono::milliseconds timeout);

    /// Waits until the hub has confirmed every subscription made so far. Errors: timeout, closed, or why the hub
    /// refused one.
    Error waitUntilSubscribed(std::chrono::milliseconds timeout);

    /// Tells the hub to stop sending, lets the callbacks finish what has arrived, then closes.
    /// Errors: wouldDeadlock in a callback of this client, timeout (closed all the same), closed.
    Error drain(std::chrono::milliseconds timeout);
    /// Ends the connection at once. Waits for a running callback unless called by it. No callback runs afterwards.
    void close();

    SubscriberStats stats() const;
    State state() const;

    /// Called when a link is ready, also after each reconnect. Set callbacks before connectToHub to miss nothing.
    SubscriberClient& setOnReady(OnReady callback);
    SubscriberClient& onStateChange(OnStateChange callback);
    SubscriberClient& onDropped(OnDropped callback);
    /// A subscription with Start::offset begins elsewhere: what lies between is not there any more, or not yet (after a restart of the hub).
    SubscriberClient& onGap(OnGap callback);
    SubscriberClient& onError(OnError callback);

  private:
    class Impl;
    Error connectToPort(std::string_view name, std::string_view host, std::uint16_t port);
    std::shared_ptr<Impl> impl_;
};

template <typename Callback>
Subscribed Subscribed::subscribe(std::string_view topic, Callback&& callback, SubscribeOptions const& options) const {
    return client_.subscribe(topic, std::forward<Callback>(callback), options);
}
template <std::integral Port>
Error Subscribed::connectToHub(std::string_view name, std::string_view host, Port port) const {
    return client_.connectToHub(name, host, port);
}
inline Error Subscribed::connectToHub(std::string_view name, std::string_view url, SubscriberOptions const& options) const {
    return client_.connectToHub(name, url, options);
}

/// The process's subscriber. Created at first use, closed at static destruction; safe to use from destructors of other
/// globals: calls then return Error::closed.
SubscriberClient& getSubscriberClient();

}  // namespace gazellemq::client
