#include "SubscriberClient.hpp"

#include <array>

#include "Hubs.hpp"
#include "SubscriberImpl.hpp"

namespace gazellemq::client {
namespace {

template <typename Impl>
Subscribed subscribeWith(SubscriberClient& client, Impl& impl, std::string_view topic, InTopic::Callback callback, SubscribeOptions const& options) {
    if (!impl.isHere()) return {client, Error::forked, 0};
    auto const [error, id] = impl.subscribe(topic, std::move(callback), options);
    return {client, error, id};
}

}  // namespace

SubscriberClient::SubscriberClient() : impl_(std::make_shared<Impl>()) {}

SubscriberClient::~SubscriberClient() {
    if (impl_->isHere()) {
        close();
        return;
    }
    // The child of a fork has none of its threads: there is nothing to stop and nothing that can be freed safely.
    new std::shared_ptr<Impl>(std::move(impl_));
}

Error SubscriberClient::connectToPort(std::string_view name, std::string_view host, std::uint16_t port) {
    if (!impl_->isHere()) return Error::forked;
    auto const url = transport::Url::of(host, port);
    return url ? connectToHub(name, url->toString()) : Error::invalidUrl;
}

Error SubscriberClient::connectToHub(std::string_view name, std::string_view url, SubscriberOptions const& options) {
    if (!impl_->isHere()) return Error::forked;
    return impl_->connect(name, parseHubs(std::array{url}), options);
}

Error SubscriberClient::connectToHub(std::string_view name, std::initializer_list<std::string_view> urls, SubscriberOptions const& options) {
    if (!impl_->isHere()) return Error::forked;
    return impl_->connect(name, parseHubs(urls), options);
}

Error SubscriberClient::connectToHub(std::string_view name, std::vector<std::string> const& urls, SubscriberOptions const& options) {
    if (!impl_->isHere()) return Error::forked;
    return impl_->connect(name, parseHubs(urls), options);
}

Subscribed SubscriberClient::subscribe(std::string_view topic, OnString callback, SubscribeOptions const& options) {
    return subscribeWith(*this, *impl_, topic, std::move(callback), options);
}

Subscribed SubscriberClient::subscribe(std::string_view topic, OnMessage callback, SubscribeOptions const& options) {
    return subscribeWith(*this, *impl_, topic, std::move(callback), options);
}

Subscribed SubscriberClient::subscribe(std::string_view topic, OnMessages callback, SubscribeOptions const& options) {
    return subscribeWith(*this, *impl_, topic, std::move(callback), options);
}

Subscribed SubscriberClient::subscribe(std::string_view topic, SubscribeOptions const& options) {
    return subscribeWith(*this, *impl_, topic, {}, options);
}

Error SubscriberClient::unsubscribe(std::string_view topic) {
    return impl_->isHere() ? impl_->unsubscribe(topic) : Error::forked;
}
Error SubscriberClient::unsubscribe(std::uint32_t id) {
    return impl_->isHere() ? impl_->unsubscribe(id) : Error::forked;
}

std::optional<ReceivedMessage> SubscriberClient::receive(std::chrono::milliseconds timeout) {
    return impl_->isHere() ? impl_->receive(timeout) : std::nullopt;
}

Error SubscriberClient::waitUntilSubscribed(std::chrono::milliseconds timeout) {
    return impl_->isHere() ? impl_->waitUntilSubscribed(timeout) : Error::forked;
}

Error SubscriberClient::drain(std::chrono::milliseconds timeout) {
    return impl_->isHere() ? impl_->drain(timeout) : Error::forked;
}

void SubscriberClient::close() {
    if (!impl_->isHere()) return;
    auto const impl = impl_;  // a callback that runs now may destroy this client
    impl->close();
}

SubscriberStats SubscriberClient::stats() const { return impl_->isHere() ? impl_->stats() : SubscriberStats{}; }
State SubscriberClient::state() const { return impl_->isHere() ? impl_->state() : State::closed; }

SubscriberClient& SubscriberClient::setOnReady(OnReady callback) {
    if (impl_->isHere()) impl_->set(impl_->onReady, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onStateChange(OnStateChange callback) {
    if (impl_->isHere()) impl_->set(impl_->onStateChange, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onDropped(OnDropped callback) {
    if (impl_->isHere()) impl_->set(impl_->onDropped, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onGap(OnGap callback) {
    if (impl_->isHere()) impl_->set(impl_->onGap, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onError(OnError callback) {
    if (impl_->isHere()) impl_->set(impl_->onError, callback);
    return *this;
}

SubscriberClient& getSubscriberClient() {
    // Never freed, so that destructors of other globals may still call it; closed, and its threads ended, in static destruction.
    static auto* const client = new SubscriberClient;
    struct Closer {
        ~Closer() { client->close(); }
    };
    static Closer const closer;
    return *client;
}

}  // namespace gazellemq::client
