#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gazellemq::perf {

/// What a hub says that it holds, in the line that it logs at SIGUSR2.
struct HubHoldings {
    std::uint64_t connections = 0;
    std::uint64_t subscriptions = 0;
    std::uint64_t topics = 0;
    std::uint64_t bufferBytes = 0;

    bool operator==(HubHoldings const&) const = default;
};

/// Of the last such line in a log that ends with it or goes on behind it; nothing if there is none.
inline std::optional<HubHoldings> holdingsIn(std::string_view log) {
    constexpr std::string_view kStart = "statistics:";
    auto const start = log.rfind(kStart);
    if (start == log.npos) return std::nullopt;
    auto const line = log.substr(start, log.find('\n', start) - start);
    auto complete = true;
    auto const read = [&](std::string_view name) {
        std::uint64_t value = 0;
        auto const at = line.find(name);
        if (at == line.npos) return complete = false, value;
        auto const number = line.substr(at + name.size());
        complete &= std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{};
        return value;
    };
    HubHoldings const holdings{read(" connections="), read(" subscriptions="), read(" topics="), read(" buffer_bytes=")};
    return complete ? std::optional{holdings} : std::nullopt;
}

}  // namespace gazellemq::perf
