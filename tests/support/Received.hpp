#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "SubscriberClient.hpp"
#include "Waiting.hpp"

namespace gazellemq::test {

struct Received {
    std::string topic;
    std::string payload;
    std::uint64_t offset = 0;
    std::int64_t receiveTimeNs = 0;
};

/// A SubscriberClient that keeps what its subscriptions receive, and what its other callbacks are told.
struct TestSubscriber {
    Inbox<Received> messages;
    Inbox<client::State> states;
    Inbox<Error> stateErrors;  // of the changes to disconnected
    Inbox<Error> errors;
    Inbox<std::string> reasons;  // as many as errors, or one more
    client::SubscriberClient client;  // last: no callback runs after it is gone

    TestSubscriber() {
        client.onStateChange([this](client::StateChange const& change) {
            if (change.state == client::State::disconnected) stateErrors.add(change.error);
            states.add(change.state);
        });
        client.onError([this](Error code, std::string_view reason) {
            reasons.add(std::string{reason});
            errors.add(code);
        });
    }

    client::SubscriberClient::OnMessage keep() {
        return [this](client::Message const& message) {
            messages.add({std::string{message.topic}, std::string{message.payload}, message.offset, message.receiveTimeNs});
        };
    }

    /// Subscribes and waits for the hub's word.
    Error subscribe(std::string const& topic) {
        if (auto const error = client.subscribe(topic, keep()).error(); error != Error::ok) return error;
        return client.waitUntilSubscribed(kPatience);
    }

    std::vector<std::string> payloads() const {
        std::vector<std::string> texts;
        for (auto& message : messages.all()) texts.push_back(std::move(message.payload));
        return texts;
    }
};

}  // namespace gazellemq::test
