#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gazellemq::transport {

inline constexpr std::uint16_t kDefaultPort = 5875;

/// Where a hub listens or is reached. Pure: no name is resolved and no file is touched here.
///
///     tcp://host   tcp://host:port   tcp://[v6]:port   unix:///absolute/path   unix:///absolute/path?mode=0660
struct Url {
    std::string host;               ///< a name or an address; IPv6 without brackets; empty for unix
    std::uint16_t port = kDefaultPort;
    std::string path = {};          ///< of the socket file; empty for tcp
    std::optional<unsigned> mode = {};  ///< permissions that a hub gives its socket file, 0 to 0777

    /// Empty if `text` is nothing of the above.
    static std::optional<Url> parse(std::string_view text);
    /// `host` is a name, an IPv4 or an IPv6 address without brackets.
    static std::optional<Url> of(std::string_view host, std::uint16_t port);
    bool isUnix() const { return !path.empty(); }
    /// Without the mode.
    std::string toString() const;
};

/// What parse() takes, for error messages.
inline constexpr std::string_view kUrlForms = "tcp://host:port, tcp://[v6]:port or unix:///path";

}  // namespace gazellemq::transport
