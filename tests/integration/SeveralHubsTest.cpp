#include <gtest/gtest.h>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

class SeveralHubs : public testing::Test {
  protected:
    template <typename Client>
    void connect(Client& client, std::string_view name) {
        using Options = std::conditional_t<std::is_same_v<Client, PublisherClient>, PublisherOptions, SubscriberOptions>;
        ASSERT_EQ(client.connectToHub(name, {first.url(), second.url()}, impatient<Options>()), Error::ok);
    }

    TestHub first;
    TestHub second;
};

TEST_F(SeveralHubs, the_first_that_serves_is_used) {
    PublisherClient publisher;
    connect(publisher, "publisher");
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(first.server().stats().messagesIn, 1u);
    EXPECT_EQ(second.server().stats().messagesIn, 0u);
}

TEST_F(SeveralHubs, the_next_is_used_when_one_cannot_be_reached) {
    first.stop();
    PublisherClient publisher;
    connect(publisher, "publisher");
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(second.server().stats().messagesIn, 1u);
}

TEST_F(SeveralHubs, clients_and_their_subscriptions_move_when_a_hub_dies_and_come_back_when_the_other_does) {
    PublisherClient publisher;
    TestSubscriber subscriber;
    connect(publisher, "publisher");
    connect(subscriber.client, "subscriber");
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    auto const passesOn = [&](std::string const& text) {
        auto const before = subscriber.messages.size();
        // Each client finds its way by itself: until both are at the same hub messages may reach nobody.
        return eventually([&] {
            EXPECT_EQ(publisher.publish("t", text), Error::ok);
            publisher.flush(kPatience);
            return subscriber.messages.size() > before;
        });
    };
    ASSERT_TRUE(passesOn("at the first"));
    first.kill();
    ASSERT_TRUE(passesOn("at the second"));
    EXPECT_GE(second.server().stats().messagesOut, 1u);
    first.start();
    second.kill();
    ASSERT_TRUE(passesOn("at the first again"));
}

TEST(HubList, with_something_that_is_no_url_or_without_any_is_refused) {
    PublisherClient publisher;
    EXPECT_EQ(publisher.connectToHub("p", {"tcp://127.0.0.1:1", "udp://x"}), Error::invalidUrl);
    EXPECT_EQ(publisher.connectToHub("p", std::vector<std::string>{}), Error::invalidUrl);
    SubscriberClient subscriber;
    EXPECT_EQ(subscriber.connectToHub("s", std::vector<std::string>{"tcp://127.0.0.1:0"}), Error::invalidUrl);
}

}  // namespace
}  // namespace gazellemq::client
