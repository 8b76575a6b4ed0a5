#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "Header.hpp"

namespace gazellemq::client {

/// What a message may carry beside its payload. All together at most 65,535 bytes when encoded. A message without any costs nothing.
struct MessageProperties {
    /// Messages of one key are in one partition, in the order in which they were published; see PROTOCOL.md for the hash.
    std::string_view key = {};
    /// The number of the partition; goes before the key's.
    std::optional<std::uint16_t> partition = {};
    /// From when the hub receives it; then it is not delivered any more. 0: it does not expire. At most 49 days.
    std::chrono::milliseconds ttl{0};
    std::string_view replyTo = {};
    std::string_view correlationId = {};
    std::string_view contentType = {};
    std::span<Header const> headers = {};
};

}  // namespace gazellemq::client
