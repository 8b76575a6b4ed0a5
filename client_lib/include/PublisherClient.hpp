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
#include "gazellemq/MessageProperties.hpp"
#include "gazellemq/Options.hpp"

namespace gazellemq::client {

/// Counts of messages since construction. Always: published == confirmed + buffered + unconfirmed + lost + refused.
struct PublisherStats {
    std::uint64_t published = 0;    ///< accepted by publish() or publishBatch()
    std::uint64_t confirmed = 0;    ///< confirmed by the hub
    std::uint64_t buffered = 0;     ///< waiting in the client
    std::uint64_t unconfirmed = 0;  ///< sent, confirm still to come
    std::uint64_t lost = 0;         ///< sent, but the link was lost before the confirm: may or may not have arrived
    std::uint64_t refused = 0;      ///< refused after being accepted here; each was told to onPublishFailed
    std::uint64_t bufferedBytes = 0;
    std::uint64_t unheard = 0;      ///< accepted by the hub when nobody had subscribed
};

/// Publishes messages to topics of a hub. Messages are gathered in batches; publish() returns when the message is
/// in the client's bounded buffer, flush() when the hub has confirmed all of them.
///
/// Every function may be called from any thread and from any callback. Only publish, publishBatch (WhenFull::block),
/// flush, close and the destructor can block, each with a limit. Callbacks run one after the other on the
/// client's callback thread. Not movable: threads refer to it.
///
/// In a shared library with the SDK inside: once its clients are closed or destroyed, dlclose() is safe, also while a name is still
/// being resolved or the callback runs that destroyed its client (then the library stays in memory until that thread has ended and
/// dlclose() is called again, for any library). dlclose() closes getPublisherClient(), getSubscriberClient() and clients that are
/// globals of the library; callbacks that run then must not wait for the loader (dlopen), which waits for them.
class PublisherClient {
  public:
    using OnReady = std::function<void()>;
    using OnStateChange = std::function<void(StateChange const&)>;
    using OnPublishFailed =
        std::function<void(std::string_view topic, std::uint64_t count, Error code, std::string_view reason)>;
    using OnError = std::function<void(Error code, std::string_view reason)>;

    PublisherClient();
    /// close(closeTimeout) if the link was ever up or the first attempt to connect succeeds within it, close(0) otherwise.
    ~PublisherClient();
    PublisherClient(PublisherClient const&) = delete;
    PublisherClient& operator=(PublisherClient const&) = delete;

    /// Starts connecting to tcp://host:port and keeps at it for ever, also after a lost link. Returns at once.
    /// Errors: alreadyConnected, invalidUrl, invalidOption, closed. (A template, so that `{}` as third argument means options.)
    template <std::integral Port>
    Error connectToHub(std::string_view name, std::string_view host, Port port) {
        return std::in_range<std::uint16_t>(port) ? connectToPort(name, host, static_cast<std::uint16_t>(port)) : Error::invalidUrl;
    }
    /// `url` is tcp://host:port or tcp://[v6]:port, where the port may be left out (5875), or unix:///path.
    Error connectToHub(std::string_view name, std::string_view url, PublisherOptions const& options = {});
    /// Several hubs: the next is tried when one cannot be reached or its link is lost. Messages are not copied between hubs.
    Error connectToHub(std::string_view name, std::initializer_list<std::string_view> urls, PublisherOptions const& options = {});
    Error connectToHub(std::string_view name, std::vector<std::string> const& urls, PublisherOptions const& options = {});

    /// Errors: a name rule, tooLarge, bufferFull, closed. Before connectToHub and while the link is down the message
    /// waits in the buffer.
    Error publish(std::string_view topic, std::string_view payload);
    /// The same with a key, a time to live and other properties. More errors: invalidOption (a ttl below 0 or above 49 days), tooLarge if the
    /// properties take more than 65,535 bytes. A partition that the topic does not have: noSuchPartition, here or in onPublishFailed.
    Error publish(std::string_view topic, std::string_view payload, MessageProperties const& properties);
    /// All or none of `payloads`, next to each other and in order. tooLarge also if they cannot fit in the buffer at once.
    Error publishBatch(std::string_view topic, std::span<std::string_view const> payloads);

    /// Waits until the hub has confirmed (or refused, or the link lost) everything published before the call.
    /// `ok` = everything was confirmed; linkLost = some were lost since the last flush; the hub's code if some were refused since;
    /// timeout; closed.
    Error flush(std::chrono::milliseconds timeout);
    /// flush, then end the connection for good. Returns how many messages were not confirmed (buffered, unconfirmed, lost
    /// and refused ones since construction). After it every call returns `closed`. A second call returns the same.
    std::uint64_t close(std::chrono::milliseconds timeout);

    PublisherStats stats() const;
    State state() const;
    /// How many subscriptions the last batch of `topic` went to that the hub has confirmed; empty while it has confirmed none.
    std::optional<std::uint32_t> subscriptions(std::string_view topic) const;

    /// Called when a link is ready, also after each reconnect. Set callbacks before connectToHub to miss nothing.
    PublisherClient& setOnReady(OnReady callback);
    PublisherClient& onStateChange(OnStateChange callback);
    PublisherClient& onPublishFailed(OnPublishFailed callback);
    /// callbackFailed: a callback threw. hubMemoryFull: the hub's buffers are full and publishing to a topic waits for slow readers.
    PublisherClient& onError(OnError callback);

  private:
    class Impl;
    Error connectToPort(std::string_view name, std::string_view host, std::uint16_t port);
    friend PublisherClient& getPublisherClient();
    std::shared_ptr<Impl> impl_;
};

/// The process's publisher. Created at first use, closed (with its closeTimeout) at static destruction; safe to use
/// from destructors of other globals: calls then return Error::closed.
PublisherClient& getPublisherClient();

}  // namespace gazellemq::client
