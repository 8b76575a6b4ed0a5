#include "Url.hpp"

#include <algorithm>
#include <charconv>

namespace gazellemq::transport {
namespace {

constexpr std::string_view kScheme = "tcp://";
constexpr std::string_view kUnixScheme = "unix://";
constexpr std::string_view kModeQuery = "?mode=";
/// sun_path has 108 bytes with the NUL (unix(7)).
constexpr std::size_t kMaxPathBytes = 107;
constexpr std::size_t kMaxHostBytes = 253;

bool isHostCharacter(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

bool isAddressCharacter(char c) {
    return isHostCharacter(c) || c == ':' || c == '%';
}

std::optional<std::uint16_t> parsePort(std::string_view text) {
    std::uint16_t port = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return port;
}

std::optional<unsigned> parseMode(std::string_view text) {
    unsigned mode = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    if (error != std::errc{} || end != text.data() + text.size() || mode > 0777) return std::nullopt;
    return mode;
}

std::optional<Url> parseUnix(std::string_view text) {
    Url url;
    if (auto const query = text.find('?'); query != std::string_view::npos) {
        if (!text.substr(query).starts_with(kModeQuery)) return std::nullopt;
        url.mode = parseMode(text.substr(query + kModeQuery.size()));
        if (!url.mode) return std::nullopt;
        text = text.substr(0, query);
    }
    if (text.size() < 2 || text.front() != '/' || text.size() > kMaxPathBytes || text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    url.path = text;
    return url;
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
    if (text.starts_with(kUnixScheme)) return parseUnix(text.substr(kUnixScheme.size()));
    if (!text.starts_with(kScheme)) return std::nullopt;
    text.remove_prefix(kScheme.size());
    if (text.ends_with('/')) text.remove_suffix(1);

    std::string_view host;
    if (text.starts_with('[')) {
        auto const close = text.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        host = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
        if (!std::all_of(host.begin(), host.end(), isAddressCharacter)) return std::nullopt;
    } else {
        host = text.substr(0, text.find(':'));
        text.remove_prefix(host.size());
        if (!std::all_of(host.begin(), host.end(), isHostCharacter)) return std::nullopt;
    }
    if (host.empty() || host.size() > kMaxHostBytes) return std::nullopt;

    Url url{std::string{host}};
    if (!text.empty()) {
        auto const port = text.front() == ':' ? parsePort(text.substr(1)) : std::nullopt;
        if (!port) return std::nullopt;
        url.port = *port;
    }
    return url;
}

std::optional<Url> Url::of(std::string_view host, std::uint16_t port) {
    return parse(Url{std::string{host}, port}.toString());
}

std::string Url::toString() const {
    if (isUnix()) return std::string{kUnixScheme} + path;
    auto const isV6 = host.find(':') != std::string::npos;
    return std::string{kScheme} + (isV6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace gazellemq::transport
