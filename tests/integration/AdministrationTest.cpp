#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "AdminClient.hpp"
#include "Received.hpp"
#include "TestHub.hpp"

/// Administration through the SDK, and what publishers and subscribers see of it.
namespace gazellemq::client {
namespace {

using namespace test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class Administration : public testing::Test {
  protected:
    Administration() { EXPECT_EQ(admin.connectToHub("admin", hub.url()), Error::ok); }

    AdminAnswer ask(std::string_view operation, std::string_view arguments) { return admin.request(operation, arguments, kPatience); }
    void done(std::string_view operation, std::string_view arguments) {
        auto const answer = ask(operation, arguments);
        EXPECT_EQ(answer.error, Error::ok) << answer.sentence;
    }

    TestHub hub;
    AdminClient admin;
};

TEST_F(Administration, results_are_json_and_refusals_have_a_sentence) {
    auto const made = ask("topic.create", R"({"name": "t"})");
    EXPECT_EQ(made.error, Error::ok);
    EXPECT_THAT(made.result, HasSubstr(R"("name":"t")"));
    auto const again = ask("topic.create", R"({"name": "t"})");
    EXPECT_EQ(again.error, Error::topicExists);
    EXPECT_THAT(again.sentence, HasSubstr("'t'"));
    EXPECT_EQ(again.result, "");
    EXPECT_EQ(ask("no.such.thing", "").error, Error::noSuchOperation);
    EXPECT_EQ(ask("topic.create", std::string(70'000, ' ')).error, Error::tooLarge);
}

TEST_F(Administration, a_long_list_arrives_whole) {
    for (int i = 0; i < 300; ++i) done("topic.create", R"({"name": "topic.)" + std::to_string(i) + "\"}");
    auto const list = ask("topic.list", R"({"limit": 1000})");
    EXPECT_GT(list.result.size(), 65'536U);
    EXPECT_THAT(list.result, HasSubstr("topic.299"));
}

TEST_F(Administration, requests_of_several_threads_get_their_own_answers) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([this, t] {
            for (int i = 0; i < 50; ++i) {
                auto const name = std::to_string(t) + "." + std::to_string(i);
                EXPECT_THAT(ask("topic.create", R"({"name": ")" + name + "\"}").result, HasSubstr("\"" + name + "\""));
            }
        });
    }
    for (auto& thread : threads) thread.join();
}

TEST_F(Administration, a_deleted_topic_is_told_to_both_sides_and_may_be_used_again) {
    Inbox<Error> failures;
    Inbox<Error> errors;
    TestSubscriber subscriber;
    subscriber.client.onError([&](Error error, std::string_view) { errors.add(error); });
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    PublisherClient publisher;
    publisher.onPublishFailed([&](std::string_view, std::uint64_t, Error code, std::string_view) { failures.add(code); });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    ASSERT_EQ(publisher.publish("t", "before"), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(1));
    done("topic.delete", R"({"name": "t"})");
    EXPECT_TRUE(failures.waitForOne(Error::topicDeleted));
    EXPECT_TRUE(errors.waitForOne(Error::topicDeleted));
    ASSERT_EQ(publisher.publish("t", "after"), Error::ok);
    EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "the topic is made anew by its use";
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    EXPECT_THAT(subscriber.payloads(), ElementsAre("before", "after"));
}

TEST_F(Administration, every_message_is_accounted_for_when_its_topic_is_deleted_under_load) {
    std::atomic<std::uint64_t> received{0};
    std::atomic<std::uint64_t> failed{0};
    SubscriberClient subscriber;
    subscriber.subscribe("t", [&](std::string&&) { ++received; });
    ASSERT_EQ(subscriber.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    PublisherClient publisher;
    publisher.onPublishFailed([&](std::string_view, std::uint64_t count, Error, std::string_view) { failed += count; });
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    constexpr std::uint64_t kMessages = 200'000;
    std::thread deleting{[&] {
        for (int i = 0; i < 20; ++i) ask("topic.delete", R"({"name": "t"})");
    }};
    for (std::uint64_t i = 0; i < kMessages; ++i) ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    deleting.join();
    publisher.flush(kPatience);
    auto const stats = publisher.stats();
    EXPECT_EQ(stats.published, kMessages);
    EXPECT_EQ(stats.confirmed + stats.refused, kMessages);
    EXPECT_EQ(stats.lost, 0U);
    EXPECT_TRUE(eventually([&] { return failed == stats.refused; }));
    EXPECT_TRUE(eventually([&] { return received + subscriber.stats().dropped == stats.confirmed; }))
        << received << " and " << subscriber.stats().dropped << " of " << stats.confirmed;
}

TEST(AdminClient, fails_at_once_when_there_is_no_hub_and_says_why) {
    AdminClient admin;
    EXPECT_EQ(admin.connectToHub("admin", "nonsense://"), Error::invalidUrl);
    ASSERT_EQ(admin.connectToHub("admin", "unix:///no/such/socket"), Error::ok);
    EXPECT_EQ(admin.connectToHub("admin", "unix:///no/such/socket"), Error::alreadyConnected);
    auto const answer = admin.request("stats", "", kPatience);
    EXPECT_EQ(answer.error, Error::linkLost);
    EXPECT_THAT(answer.sentence, HasSubstr("cannot be reached"));
    admin.close();
    EXPECT_EQ(admin.request("stats", "", kPatience).error, Error::closed);
}

TEST(AdminClient, gives_up_at_its_timeout) {
    AdminClient admin;
    EXPECT_EQ(admin.request("stats", "", 1ms).error, Error::timeout) << "it was never connected";
}

TEST(AdminClient, works_again_when_the_hub_is_back) {
    TestHub hub;
    AdminClient admin;
    ASSERT_EQ(admin.connectToHub("admin", hub.url()), Error::ok);
    EXPECT_EQ(admin.request("stats", "", kPatience).error, Error::ok);
    hub.kill();
    hub.start();
    EXPECT_TRUE(eventually([&] { return admin.request("stats", "", kPatience).error == Error::ok; }));
}

}  // namespace
}  // namespace gazellemq::client
