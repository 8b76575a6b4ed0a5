#include <gtest/gtest.h>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

struct Way {
    char const* name;
    char const* listenOn;
    std::function<Error(PublisherClient&, std::uint16_t)> connect;

    friend void PrintTo(Way const& way, std::ostream* out) { *out << way.name; }
};

auto url(std::string const& start) {
    return [start](PublisherClient& client, std::uint16_t port) { return client.connectToHub("p", start + std::to_string(port)); };
}

auto host(std::string const& name) {
    return [name](PublisherClient& client, std::uint16_t port) { return client.connectToHub("p", name, port); };
}

class Addresses : public testing::TestWithParam<Way> {};

TEST_P(Addresses, lead_to_the_hub) {
    auto const& way = GetParam();
    std::unique_ptr<TestHub> hub;
    try {
        hub = std::make_unique<TestHub>(hub::Limits{}, way.listenOn);
    } catch (std::runtime_error const& error) {
        GTEST_SKIP() << "no such address on this machine: " << error.what();
    }
    PublisherClient publisher;
    ASSERT_EQ(way.connect(publisher, hub->port()), Error::ok);
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
}

INSTANTIATE_TEST_SUITE_P(
    All, Addresses,
    testing::Values(
        Way{"ipv4_url", "127.0.0.1", url("tcp://127.0.0.1:")}, Way{"ipv4_host", "127.0.0.1", host("127.0.0.1")},
        Way{"ipv6_url", "[::1]", url("tcp://[::1]:")}, Way{"ipv6_host", "[::1]", host("::1")},
        Way{"localhost_when_only_ipv4_listens", "127.0.0.1", host("localhost")},
        Way{"localhost_when_only_ipv6_listens", "[::1]", host("localhost")},
        Way{"localhost_url", "[::1]", url("tcp://localhost:")}),
    [](auto const& way) { return std::string{way.param.name}; });

TEST(AddressErrors, an_unknown_host_is_told_and_tried_again) {
    TestSubscriber subscriber;
    Inbox<std::string> reasons;
    subscriber.client.onStateChange([&](StateChange const& change) {
        if (change.state == State::disconnected) reasons.add(change.reason);
    });
    ASSERT_EQ(subscriber.client.connectToHub("s", "tcp://no-such-host.invalid:1", impatient<SubscriberOptions>()), Error::ok);
    ASSERT_TRUE(reasons.waitFor(2));
    EXPECT_NE(reasons.all()[0].find("no-such-host.invalid"), std::string::npos) << reasons.all()[0];
}

}  // namespace
}  // namespace gazellemq::client
