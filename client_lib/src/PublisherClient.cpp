#include "PublisherClient.hpp"

#include <array>

#include "Hubs.hpp"
#include "PublisherImpl.hpp"

namespace gazellemq::client {

PublisherClient::PublisherClient() : impl_(std::make_shared<Impl>()) {}

PublisherClient::~PublisherClient() {
    if (impl_->isHere()) {
        impl_->closeAtEnd();
        return;
    }
    // The child of a fork has none of its threads: there is nothing to stop and nothing that can be freed safely.
    new std::shared_ptr<Impl>(std::move(impl_));
}

Error PublisherClient::connectToPort(std::string_view name, std::string_view host, std::uint16_t port) {
    if (!impl_->isHere()) return Error::forked;
    auto const url = transport::Url::of(host, port);
    return url ? connectToHub(name, url->toString()) : Error::invalidUrl;
}

Error PublisherClient::connectToHub(std::string_view name, std::string_view url, PublisherOptions const& options) {
    if (!impl_->isHere()) return Error::forked;
    return impl_->connect(name, parseHubs(std::array{url}), options);
}

Error PublisherClient::connectToHub(std::string_view name, std::initializer_list<std::string_view> urls, PublisherOptions const& options) {
    if (!impl_->isHere()) return Error::forked;
    return impl_->connect(name, parseHubs(urls), options);
}

Error PublisherClient::connectToHub(std::string_view name, std::vector<std::string> const& urls, PublisherOptions const& options) {
    if (!impl_->isHere()) return Error::forked;
    return impl_->connect(name, parseHubs(urls), options);
}

Error PublisherClient::publish(std::string_view topic, std::string_view payload) {
    return impl_->isHere() ? impl_->publish(topic, payload) : Error::forked;
}

Error PublisherClient::publish(std::string_view topic, std::string_view payload, MessageProperties const& properties) {
    return impl_->isHere() ? impl_->publish(topic, payload, properties) : Error::forked;
}

Error PublisherClient::publishBatch(std::string_view topic, std::span<std::string_view const> payloads) {
    return impl_->isHere() ? impl_->publishBatch(topic, payloads) : Error::forked;
}

Error PublisherClient::flush(std::chrono::milliseconds timeout) {
    return impl_->isHere() ? impl_->flush(timeout) : Error::forked;
}

std::uint64_t PublisherClient::close(std::chrono::milliseconds timeout) {
    if (!impl_->isHere()) return 0;
    auto const impl = impl_;  // a callback that runs now may destroy this client
    return impl->close(timeout);
}

PublisherStats PublisherClient::stats() const { return impl_->isHere() ? impl_->stats() : PublisherStats{}; }
State PublisherClient::state() const { return impl_->isHere() ? impl_->state() : State::closed; }

std::optional<std::uint32_t> PublisherClient::subscriptions(std::string_view topic) const {
    return impl_->isHere() ? impl_->subscriptions(topic) : std::nullopt;
}

PublisherClient& PublisherClient::setOnReady(OnReady callback) {
    if (impl_->isHere()) impl_->set(impl_->onReady, callback);
    return *this;
}

PublisherClient& PublisherClient::onStateChange(OnStateChange callback) {
    if (impl_->isHere()) impl_->set(impl_->onStateChange, callback);
    return *this;
}

PublisherClient& PublisherClient::onPublishFailed(OnPublishFailed callback) {
    if (impl_->isHere()) impl_->set(impl_->onPublishFailed, callback);
    return *this;
}

PublisherClient& PublisherClient::onError(OnError callback) {
    if (impl_->isHere()) impl_->set(impl_->onError, callback);
    return *this;
}

PublisherClient& getPublisherClient() {
    // Never freed, so that destructors of other globals may still call it; closed, and its threads ended, in static destruction.
    static auto* const client = new PublisherClient;
    struct Closer {
        ~Closer() {
            if (client->impl_->isHere()) client->impl_->closeAtEnd();
        }
    };
    static Closer const closer;
    return *client;
}

}  // namespace gazellemq::client
