#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

/// Descriptors that a program started by this one would inherit.
std::set<int> inheritable() {
    std::set<int> found;
    for (auto const& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        auto const fd = std::stoi(entry.path().filename().string());
        auto const flags = ::fcntl(fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) found.insert(fd);
    }
    return found;
}

TEST(CloseOnExec, nothing_of_clients_and_hub_is_inherited_by_programs_that_are_started) {
    auto const before = inheritable();
    TestHub hub;
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(inheritable(), before);
}

}  // namespace
}  // namespace gazellemq::client
