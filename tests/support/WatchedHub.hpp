#pragma once
#include <gtest/gtest.h>

#include <string>

#include "Canary.hpp"
#include "RawClient.hpp"
#include "TestHub.hpp"

namespace gazellemq::test {

/// A hub in this process with a canary on it, for tests of what peers may do to a hub.
struct WatchedHub {
    explicit WatchedHub(hub::Limits const& limits = {}) : hub(limits), canary(hub.url()) {}

    std::uint16_t port() const { return hub.port(); }

    /// Returns when the hub has read everything that `client` has sent.
    void settle(RawClient const& client) {
        ASSERT_TRUE(eventually([&] { return client.arrived(); }));
        // The hub's loop looks at its sockets at least once between two answers of stats(); what it finds, it handles before the
        // third.
        for (int i = 0; i < 3; ++i) hub.server().stats();
    }

    /// The canary sings, its links were never lost, and nobody but its two clients is connected.
    void expectUnharmed() {
        EXPECT_TRUE(eventually([&] { return hub.server().stats().connections == 2; }))
            << hub.server().stats().connections << " connections";
        EXPECT_EQ(hub.server().stats().subscriptions, 1u);
        EXPECT_EQ(canary.trouble(), "");
    }

    TestHub hub;
    Canary canary;
};

}  // namespace gazellemq::test
