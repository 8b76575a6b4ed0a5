#include "PublisherClient.hpp"

#include "PublisherImpl.hpp"

namespace gazellemq::client {

PublisherClient::PublisherClient() : impl_(std::make_shared<Impl>()) {}
PublisherClient::~PublisherClient() { impl_->closeAtEnd(); }

Error PublisherClient::connectToPort(std::string_view name, std::string_view host, std::uint16_t port) {
    return impl_->connect(name, transport::Url::of(host, port), {});
}

Error PublisherClient::connectToHub(std::string_view name, std::string_view url, PublisherOptions const& options) {
    return impl_->connect(name, transport::Url::parse(url), options);
}

Error PublisherClient::publish(std::string_view topic, std::string_view payload) { return impl_->publish(topic, payload); }

Error PublisherClient::publishBatch(std::string_view topic, std::span<std::string_view const> payloads) {
    return impl_->publishBatch(topic, payloads);
}

Error PublisherClient::flush(std::chrono::milliseconds timeout) { return impl_->flush(timeout); }

std::uint64_t PublisherClient::close(std::chrono::milliseconds timeout) {
    auto const impl = impl_;  // a callback that runs now may destroy this client
    return impl->close(timeout);
}

PublisherStats PublisherClient::stats() const { return impl_->stats(); }
State PublisherClient::state() const { return impl_->state(); }

PublisherClient& PublisherClient::setOnReady(OnReady callback) {
    impl_->set(impl_->onReady, callback);
    return *this;
}

PublisherClient& PublisherClient::onStateChange(OnStateChange callback) {
    impl_->set(impl_->onStateChange, callback);
    return *this;
}

PublisherClient& PublisherClient::onPublishFailed(OnPublishFailed callback) {
    impl_->set(impl_->onPublishFailed, callback);
    return *this;
}

PublisherClient& PublisherClient::onError(OnError callback) {
    impl_->set(impl_->onError, callback);
    return *this;
}

PublisherClient& getPublisherClient() {
    // Never freed, so that destructors of other globals may still call it; closed, and its threads ended, in static destruction.
    static auto* const client = new PublisherClient;
    struct Closer {
        ~Closer() { client->impl_->closeAtEnd(); }
    };
    static Closer const closer;
    return *client;
}

}  // namespace gazellemq::client
