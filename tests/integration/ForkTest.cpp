#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;

class Fork : public testing::Test {
  protected:
    void SetUp() override {
        publisher.connectToHub("parent", hub.url());
        ASSERT_EQ(subscriber.client.connectToHub("parent's subscriber", hub.url()), Error::ok);
        ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
        ASSERT_EQ(publisher.publish("t", "before"), Error::ok);
        ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    }
    /// Runs `check` in a child; 0 if it held there.
    static int inChild(std::function<bool()> const& check) {
        auto const pid = ::fork();
        if (pid == 0) {
            ::alarm(30);
            ::_exit(check() ? 0 : 1);
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        return status;
    }

    TestHub hub;
    PublisherClient publisher;
    TestSubscriber subscriber;
};

TEST_F(Fork, the_parents_clients_give_an_error_in_the_child_and_never_wait) {
    EXPECT_EQ(inChild([&] {
                  return publisher.publish("t", "x") == Error::forked && publisher.flush(kPatience) == Error::forked &&
                         publisher.close(kPatience) == 0 && publisher.state() == State::closed && publisher.stats().published == 0 &&
                         subscriber.client.unsubscribe("t") == Error::forked && !subscriber.client.receive(kPatience) &&
                         subscriber.client.drain(kPatience) == Error::forked &&
                         subscriber.client.subscribe("t", [](std::string&&) {}).error() == Error::forked;
              }),
              0);
}

TEST_F(Fork, the_child_may_make_clients_of_its_own) {
    EXPECT_EQ(inChild([&] {
                  PublisherClient own;
                  own.connectToHub("child", hub.url());
                  return own.publish("t", "from the child") == Error::ok && own.flush(kPatience) == Error::ok;
              }),
              0);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
}

TEST_F(Fork, without_echo_the_child_is_heard_and_the_process_itself_is_not) {
    Inbox<std::string> heard;
    SubscriberClient noEcho;
    ASSERT_EQ(noEcho.connectToHub("no echo", hub.url()), Error::ok);
    auto const add = [&](std::string&& text) { heard.add(std::move(text)); };
    ASSERT_EQ(noEcho.subscribe("t", add, {.noEcho = true}).error(), Error::ok);
    ASSERT_EQ(noEcho.waitUntilSubscribed(kPatience), Error::ok);
    ASSERT_EQ(publisher.publish("t", "own"), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    for (int child = 0; child < 2; ++child) {
        EXPECT_EQ(inChild([&] {
                      PublisherClient own;
                      own.connectToHub("child", hub.url());
                      return own.publish("t", "from a child") == Error::ok && own.flush(kPatience) == Error::ok;
                  }),
                  0);
    }
    ASSERT_TRUE(heard.waitFor(2));
    EXPECT_EQ(heard.all(), (std::vector<std::string>{"from a child", "from a child"}));
}

TEST_F(Fork, the_child_may_destroy_what_it_inherited_and_the_parent_goes_on) {
    auto inherited = std::make_unique<PublisherClient>();
    inherited->connectToHub("inherited", hub.url());
    ASSERT_EQ(inherited->publish("t", "x"), Error::ok);
    ASSERT_EQ(inherited->flush(kPatience), Error::ok);
    EXPECT_EQ(inChild([&] {
                  inherited = nullptr;
                  return true;
              }),
              0);
    ASSERT_EQ(inherited->publish("t", "after"), Error::ok);
    EXPECT_EQ(inherited->flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.publish("t", "after"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_TRUE(subscriber.messages.waitFor(4));
}

}  // namespace
}  // namespace gazellemq::client
