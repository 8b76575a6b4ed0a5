#pragma once
#include "Batches.hpp"

namespace gazellemq::test {

/// `key` must outlive the message.
inline Headed keyed(std::string payload, std::string_view key) {
    Headed message{std::move(payload)};
    message.headers.key = key;
    return message;
}

inline Headed brief(std::string payload, std::uint32_t ttlMs) {
    Headed message{std::move(payload)};
    message.headers.ttlMs = ttlMs;
    return message;
}

}  // namespace gazellemq::test
