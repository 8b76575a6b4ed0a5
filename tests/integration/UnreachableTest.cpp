#include <gtest/gtest.h>

#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

/// A socket that listens; nobody accepts or answers.
class Mute {
  public:
    Mute() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 10) != 0 || ::getsockname(socket_, generic, &size) != 0) {
            throw std::runtime_error("cannot listen");
        }
        port_ = ntohs(address.sin_port);
    }
    ~Mute() { ::close(socket_); }
    Mute(Mute const&) = delete;
    Mute& operator=(Mute const&) = delete;
    std::uint16_t port() const { return port_; }
    std::string url() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

  private:
    int socket_;
    std::uint16_t port_ = 0;
};

TEST(MuteHub, does_not_hold_up_connectToHub_and_destruction) {
    Watchdog const watchdog{"clients of a hub that never answers", 4s};
    Mute mute;
    PublisherClient publisher;
    SubscriberClient subscriber;
    EXPECT_EQ(publisher.connectToHub("p", "127.0.0.1", mute.port()), Error::ok);
    EXPECT_EQ(subscriber.connectToHub("s", "127.0.0.1", mute.port()), Error::ok);
    EXPECT_EQ(subscriber.subscribe("t", [](std::string&&) {}).error(), Error::ok);
    EXPECT_EQ(subscriber.waitUntilSubscribed(10ms), Error::timeout);
    EXPECT_EQ(publisher.state(), State::connecting);
}

TEST(MuteHub, costs_a_publisher_with_messages_at_most_its_closeTimeout) {
    Watchdog const watchdog{"a publisher of a hub that never answers", 4s};
    Mute mute;
    PublisherOptions options;
    options.closeTimeout = 20ms;
    PublisherClient publisher;
    EXPECT_EQ(publisher.connectToHub("p", mute.url(), options), Error::ok);
    EXPECT_EQ(publisher.publish("t", "x"), Error::ok);
    EXPECT_EQ(publisher.flush(10ms), Error::timeout);
}

TEST(MuteHub, is_given_up_after_connectTimeout_with_a_reason_and_tried_again) {
    Mute mute;
    TestSubscriber subscriber;
    auto options = impatient<SubscriberOptions>();
    options.connectTimeout = 20ms;
    ASSERT_EQ(subscriber.client.connectToHub("s", mute.url(), options), Error::ok);
    ASSERT_TRUE(subscriber.stateErrors.waitFor(3));
    for (auto const error : subscriber.stateErrors.all()) EXPECT_EQ(error, Error::handshakeTimeout);
}

TEST(MissingHub, is_found_whenever_it_comes) {
    TestHub hub;
    hub.stop();
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("s", hub.url(), impatient<SubscriberOptions>()), Error::ok);
    ASSERT_TRUE(subscriber.stateErrors.waitFor(5));
    hub.start();
    EXPECT_EQ(subscriber.subscribe("t"), Error::ok);
    EXPECT_EQ(subscriber.stateErrors.all().front(), Error::linkLost);
}

}  // namespace
}  // namespace gazellemq::client
