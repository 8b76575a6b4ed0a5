#pragma once
#include <string>
#include <utility>

namespace gazellemq::hub {

/// Thrown and caught inside hub/admin: an argument of an operation is wrong. The sentence names it and the remedy.
struct BadArgument {
    explicit BadArgument(std::string text) : sentence(std::move(text)) {}
    std::string sentence;
};

}  // namespace gazellemq::hub
