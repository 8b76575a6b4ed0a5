#pragma once
#include <span>
#include <string_view>

#include "LinkState.hpp"
#include "PublisherClient.hpp"
#include "Require.hpp"
#include "Role.hpp"

namespace gazellemq::perf {

/// The SDK's publisher as the roles use it: every error is a Failure.
class HubPublisher {
  public:
    /// Returns when the link is ready.
    explicit HubPublisher(RoleSpec const& spec);

    void publish(std::string_view topic, std::string_view message) {
        auto const error = client_.publish(topic, message);
        if (error != Error::ok) [[unlikely]]
            require(error, "a message to " + std::string{topic} + " was refused");
    }
    void publish(std::string_view topic, std::span<std::string_view const> messages) {
        require(client_.publishBatch(topic, messages), std::string{topic});
    }
    /// Until the hub has confirmed everything. As long as it goes on confirming there is no limit.
    void flush();

  private:
    LinkState link_;
    std::chrono::milliseconds patience_;
    client::PublisherClient client_;
};

}  // namespace gazellemq::perf
