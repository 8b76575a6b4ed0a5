#include "TopicName.hpp"

namespace gazellemq::protocol {
namespace {

/// Well-formed UTF-8 as in table 3-7 of the Unicode standard: no overlong forms, no surrogates, at most U+10FFFF.
bool isUtf8(std::string_view text) noexcept {
    auto const at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        auto const lead = at(i);
        std::size_t const length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
        if (length == 0 || text.size() - i < length) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if ((at(i + k) & 0xC0) != 0x80) return false;
        }
        if ((lead == 0xE0 && at(i + 1) < 0xA0) || (lead == 0xED && at(i + 1) > 0x9F) || (lead == 0xF0 && at(i + 1) < 0x90) ||
            (lead == 0xF4 && at(i + 1) > 0x8F)) {
            return false;
        }
        i += length;
    }
    return true;
}

bool hasControlCharacter(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const c = static_cast<unsigned char>(text[i]);
        if (c < 0x20 || c == 0x7F) return true;
        // U+0080 to U+009F, the C1 controls, are C2 80 to C2 9F.
        if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

Error checkCommon(std::string_view name) noexcept {
    if (name.empty()) return Error::nameEmpty;
    if (name.size() > kMaxTopicBytes) return Error::nameTooLong;
    if (!isUtf8(name)) return Error::nameNotUtf8;
    if (hasControlCharacter(name)) return Error::nameControlCharacter;
    if (name.front() == ' ' || name.back() == ' ') return Error::nameEdgeSpace;
    if (name.front() == '.' || name.back() == '.' || name.find("..") != std::string_view::npos) return Error::nameEmptyLevel;
    if (name.front() == '_') return Error::nameReserved;
    return Error::ok;
}

}  // namespace

std::string_view nextLevel(std::string_view& rest) noexcept {
    auto const dot = rest.find('.');
    auto const level = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    return level;
}

bool hasWildcard(std::string_view pattern) noexcept { return pattern.find_first_of("*>") != std::string_view::npos; }

Error checkTopic(std::string_view name) noexcept {
    if (auto const error = checkCommon(name); error != Error::ok) return error;
    return hasWildcard(name) ? Error::nameWildcard : Error::ok;
}

Error checkPattern(std::string_view pattern) noexcept {
    if (auto const error = checkCommon(pattern); error != Error::ok) return error;
    for (auto rest = pattern; !rest.empty();) {
        auto const level = nextLevel(rest);
        if (level.size() > 1 && hasWildcard(level)) return Error::wildcardNotAlone;
        if (level == ">" && !rest.empty()) return Error::wildcardNotLast;
    }
    return Error::ok;
}

bool matches(std::string_view pattern, std::string_view topic) noexcept {
    if (!topic.empty() && topic.front() == '_' && !pattern.empty() && (pattern.front() == '*' || pattern.front() == '>')) {
        return false;
    }
    while (!pattern.empty() && !topic.empty()) {
        auto const wanted = nextLevel(pattern);
        if (wanted == ">") return true;
        auto const level = nextLevel(topic);
        if (wanted != "*" && wanted != level) return false;
    }
    return pattern.empty() && topic.empty();
}

}  // namespace gazellemq::protocol
