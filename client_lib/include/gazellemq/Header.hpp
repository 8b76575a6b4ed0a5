#pragma once
#include <string_view>

namespace gazellemq {

/// A header of the application's own. Any bytes; a name may come more than once.
struct Header {
    std::string_view name;
    std::string_view value;
    bool operator==(Header const&) const = default;
};

}  // namespace gazellemq
