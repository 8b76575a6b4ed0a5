#pragma once
#include <string_view>
#include <utility>

#include "LinkState.hpp"
#include "Require.hpp"
#include "Role.hpp"
#include "SubscriberClient.hpp"

namespace gazellemq::perf {

/// The SDK's subscriber as the roles use it: every error is a Failure. What callbacks refer to must live
/// longer.
class HubSubscriber {
  public:
    explicit HubSubscriber(RoleSpec const& spec) : spec_(spec) {}

    template <typename Callback>
    void subscribe(std::string_view topic, Callback&& callback) {
        require(client_.subscribe(topic, std::forward<Callback>(callback)).error(),
                "subscribing to " + std::string{topic});
    }
    /// After the last subscribe(). Returns when the hub has all subscriptions.
    void connect();
    /// Lets the callbacks finish, so that a message too many is found, and ends the link.
    void drain();

  private:
    RoleSpec const& spec_;
    LinkState link_;
    client::SubscriberClient client_;
};

}  // namespace gazellemq::perf
