#include "SubscriberClient.hpp"

#include "SubscriberImpl.hpp"

namespace gazellemq::client {
namespace {

template <typename Impl>
Subscribed subscribeWith(SubscriberClient& client, Impl& impl, std::string_view topic, InTopic::Callback callback) {
    auto const [error, id] = impl.subscribe(topic, std::move(callback));
    return {client, error, id};
}

}  // namespace

SubscriberClient::SubscriberClient() : impl_(std::make_shared<Impl>()) {}
SubscriberClient::~SubscriberClient() { close(); }

Error SubscriberClient::connectToPort(std::string_view name, std::string_view host, std::uint16_t port) {
    return impl_->connect(name, transport::Url::of(host, port), {});
}

Error SubscriberClient::connectToHub(std::string_view name, std::string_view url, SubscriberOptions const& options) {
    return impl_->connect(name, transport::Url::parse(url), options);
}

Subscribed SubscriberClient::subscribe(std::string_view topic, OnString callback) {
    return subscribeWith(*this, *impl_, topic, std::move(callback));
}

Subscribed SubscriberClient::subscribe(std::string_view topic, OnMessage callback) {
    return subscribeWith(*this, *impl_, topic, std::move(callback));
}

Subscribed SubscriberClient::subscribe(std::string_view topic, OnMessages callback) {
    return subscribeWith(*this, *impl_, topic, std::move(callback));
}

Subscribed SubscriberClient::subscribe(std::string_view topic) { return subscribeWith(*this, *impl_, topic, {}); }

Error SubscriberClient::unsubscribe(std::string_view topic) { return impl_->unsubscribe(topic); }
Error SubscriberClient::unsubscribe(std::uint32_t id) { return impl_->unsubscribe(id); }

std::optional<ReceivedMessage> SubscriberClient::receive(std::chrono::milliseconds timeout) { return impl_->receive(timeout); }

Error SubscriberClient::waitUntilSubscribed(std::chrono::milliseconds timeout) { return impl_->waitUntilSubscribed(timeout); }

Error SubscriberClient::drain(std::chrono::milliseconds timeout) { return impl_->drain(timeout); }

void SubscriberClient::close() {
    auto const impl = impl_;  // a callback that runs now may destroy this client
    impl->close();
}

SubscriberStats SubscriberClient::stats() const { return impl_->stats(); }
State SubscriberClient::state() const { return impl_->state(); }

SubscriberClient& SubscriberClient::setOnReady(OnReady callback) {
    impl_->set(impl_->onReady, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onStateChange(OnStateChange callback) {
    impl_->set(impl_->onStateChange, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onDropped(OnDropped callback) {
    impl_->set(impl_->onDropped, callback);
    return *this;
}

SubscriberClient& SubscriberClient::onError(OnError callback) {
    impl_->set(impl_->onError, callback);
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
