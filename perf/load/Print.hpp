#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace gazellemq::perf {

/// printf into a string.
template <typename... Arguments>
std::string print(char const* format, Arguments... arguments) {
    std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, arguments...)), '\0');
    std::snprintf(text.data(), text.size() + 1, format, arguments...);
    return text;
}

/// "1 message", "2 messages"
inline std::string counted(std::uint64_t count, std::string const& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace gazellemq::perf
