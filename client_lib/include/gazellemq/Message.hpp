#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

namespace gazellemq::client {

/// One delivered message. The views are valid while the callback that received it runs.
struct Message {
    std::string_view topic;
    std::string_view payload;
    /// When the hub received the message's batch: nanoseconds since the Unix epoch, the hub's clock.
    std::int64_t receiveTimeNs = 0;
    /// Place of the message in its topic, counted by the hub from 0.
    std::uint64_t offset = 0;
};

/// What `SubscriberClient::receive` returns: a message whose views stay valid as long as it, or a copy, lives.
/// Keeping many of these keeps the receive buffers that they point into.
class ReceivedMessage : public Message {
  public:
    ReceivedMessage(Message const& message, std::shared_ptr<void const> owner)
        : Message(message), owner_(std::move(owner)) {}

  private:
    std::shared_ptr<void const> owner_;
};

}  // namespace gazellemq::client
