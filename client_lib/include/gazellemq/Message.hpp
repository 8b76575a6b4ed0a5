#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "Header.hpp"

namespace gazellemq::client {

/// One delivered message. The views are valid while the callback that received it runs.
struct Message {
    std::string_view topic;
    std::string_view payload;
    /// When the hub received the message's batch: nanoseconds since the Unix epoch, the hub's clock.
    std::int64_t receiveTimeNs = 0;
    /// Place of the message in its partition of the topic, counted by the hub from 0.
    std::uint64_t offset = 0;
    std::uint16_t partition = 0;
    /// Encoded as PROTOCOL.md says, for the functions below.
    std::uint16_t propertyBytes = 0;
    std::byte const* encodedProperties = nullptr;

    /// Empty if the publisher gave none. Each call reads the encoded properties: keep what is needed more than once.
    std::string_view key() const;
    std::string_view replyTo() const;
    std::string_view correlationId() const;
    std::string_view contentType() const;
    /// 0: it does not expire.
    std::chrono::milliseconds ttl() const;
    /// The application's own, in the publisher's order.
    std::vector<Header> headers() const;
    /// The first with that name.
    std::optional<std::string_view> header(std::string_view name) const;
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
