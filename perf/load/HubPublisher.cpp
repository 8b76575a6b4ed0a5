#include "HubPublisher.hpp"

namespace gazellemq::perf {

HubPublisher::HubPublisher(RoleSpec const& spec) : patience_(spec.timeout()) {
    client_.onStateChange([this](client::StateChange const& change) { link_.note(change); });
    client::PublisherOptions options;
    options.blockTimeout = patience_;
    require(client_.connectToHub("gazelle-perf publisher " + std::to_string(spec.index), spec.hub, options),
            spec.hub);
    link_.waitUntilReady(spec.hub);
}

void HubPublisher::flush() {
    auto confirmed = client_.stats().confirmed;
    auto error = client_.flush(patience_);
    while (error == Error::timeout && client_.stats().confirmed > confirmed) {
        confirmed = client_.stats().confirmed;
        error = client_.flush(patience_);
    }
    require(error, "flush after the last message");
}

}  // namespace gazellemq::perf
