#pragma once
#include <vector>

#include "Url.hpp"

namespace gazellemq::client {

/// The hubs that a client was given, in the order in which it tries them. Empty if one of `texts` is not the URL of a hub.
template <typename Texts>
std::vector<transport::Url> parseHubs(Texts const& texts) {
    std::vector<transport::Url> hubs;
    for (auto const& text : texts) {
        auto url = transport::Url::parse(text);
        if (!url || url->port == 0) return {};
        hubs.push_back(std::move(*url));
    }
    return hubs;
}

}  // namespace gazellemq::client
