#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gazellemq::transport {

inline constexpr std::uint16_t kDefaultPort = 5875;

/// Where a hub listens or is reached. Pure: no name is resolved here.
struct Url {
    std::string host;  ///< a name or an address; IPv6 without brackets
    std::uint16_t port = kDefaultPort;

    /// tcp://host, tcp://host:port, tcp://[v6]:port. Empty if `text` is nothing of that kind.
    static std::optional<Url> parse(std::string_view text);
    /// `host` is a name, an IPv4 or an IPv6 address without brackets.
    static std::optional<Url> of(std::string_view host, std::uint16_t port);
    std::string toString() const;
};

}  // namespace gazellemq::transport
