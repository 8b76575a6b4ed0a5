#pragma once
#include <cstddef>
#include <string_view>

#include "gazellemq/Error.hpp"

namespace gazellemq::protocol {

/// Rules of topic names. A name is 1 to 255 bytes of UTF-8 without control characters, neither starting nor ending with
/// a space; '.' separates levels, none of which is empty; a first character '_' is reserved. Names are compared byte by byte: no
/// case folding, no Unicode normalisation, '/' and '\' are ordinary characters.
inline constexpr std::size_t kMaxTopicBytes = 255;

/// Is `name` a topic to publish to (no wildcards)? `ok` or the rule that it breaks.
Error checkTopic(std::string_view name) noexcept;

/// Is `pattern` something to subscribe to: a topic, or one with `*` (exactly one level) and a last `>` (one or more levels)?
Error checkPattern(std::string_view pattern) noexcept;

bool hasWildcard(std::string_view pattern) noexcept;

/// Does a valid pattern match a valid topic? A wildcard on the first level never matches a topic that begins with '_'.
bool matches(std::string_view pattern, std::string_view topic) noexcept;

/// Cuts the first level off `rest` and returns it ("a.b" gives "a" and leaves "b"; the last leaves "").
std::string_view nextLevel(std::string_view& rest) noexcept;

}  // namespace gazellemq::protocol
