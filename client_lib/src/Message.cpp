#include "gazellemq/Message.hpp"

#include <algorithm>

#include "MessageHeaders.hpp"

namespace gazellemq::client {
namespace {

/// Damaged ones count as none.
protocol::MessageHeaders decoded(Message const& message) {
    return protocol::MessageHeaders::decode({message.encodedProperties, message.propertyBytes}).value_or(protocol::MessageHeaders{});
}

}  // namespace

std::string_view Message::key() const { return protocol::keyOf({encodedProperties, propertyBytes}); }
std::string_view Message::replyTo() const { return decoded(*this).replyTo; }
std::string_view Message::correlationId() const { return decoded(*this).correlationId; }
std::string_view Message::contentType() const { return decoded(*this).contentType; }
std::chrono::milliseconds Message::ttl() const { return std::chrono::milliseconds{decoded(*this).ttlMs}; }

std::vector<Header> Message::headers() const {
    std::vector<Header> all;
    decoded(*this).forEachUserHeader([&](Header const& header) { all.push_back(header); });
    return all;
}

std::optional<std::string_view> Message::header(std::string_view name) const {
    auto const all = headers();
    auto const found = std::find_if(all.begin(), all.end(), [&](Header const& header) { return header.name == name; });
    return found == all.end() ? std::nullopt : std::optional{found->value};
}

}  // namespace gazellemq::client
