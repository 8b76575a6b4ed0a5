#pragma once
#include <exception>
#include <string_view>

#include "gazellemq/Error.hpp"

namespace gazellemq::client {

/// Runs a user's callback; an exception that leaves it is told to `report(std::string_view what)`, and one that leaves that is
/// dropped.
template <typename Report, typename Callback>
void guarded(Report const& report, Callback&& callback) {
    auto const tell = [&](std::string_view what) {
        try {
            report(what);
        } catch (...) {  // a failing error callback has nobody left to tell
        }
    };
    try {
        callback();
    } catch (std::exception const& exception) {
        tell(exception.what());
    } catch (...) {
        tell(describe(Error::callbackFailed));
    }
}

}  // namespace gazellemq::client
