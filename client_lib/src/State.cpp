#include "gazellemq/Options.hpp"

namespace gazellemq::client {

std::string_view nameOf(State state) noexcept {
    switch (state) {
        case State::connecting: return "connecting";
        case State::ready: return "ready";
        case State::disconnected: return "disconnected";
        case State::closed: return "closed";
    }
    return "unknown";
}

}  // namespace gazellemq::client
