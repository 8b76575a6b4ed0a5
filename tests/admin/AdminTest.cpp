#include "Admin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Json = nlohmann::ordered_json;

/// Operations as they come in: text in, JSON or a sentence out.
class AdminTest : public testing::Test {
  protected:
    AdminTest() { hub.broker().setAdmin(admin); }

    Json run(std::string_view operation, Json const& arguments = Json::object()) {
        auto const answer = admin.run(operation, arguments.dump());
        EXPECT_EQ(answer.code, Error::ok) << answer.sentence;
        return answer.result;
    }
    std::string refused(std::string_view operation, std::string_view arguments, Error code = Error::badArgument) {
        auto const answer = admin.run(operation, arguments);
        EXPECT_EQ(answer.code, code) << operation << " " << arguments;
        return answer.sentence;
    }
    std::vector<std::string> namesOf(Json const& page) {
        std::vector<std::string> names;
        for (auto const& topic : page.at("topics")) names.push_back(topic.at("name"));
        return names;
    }

    FakeHub hub;
    Admin admin{hub.broker()};
};

TEST_F(AdminTest, creates_topics_with_the_hubs_defaults_and_what_is_said) {
    auto const topic = run("topic.create", {{"name", "t"}, {"settings", {{"window_bytes", 1'000'000}, {"slow_consumer", "dropOldest"}}}});
    EXPECT_EQ(topic.at("name"), "t");
    EXPECT_EQ(topic.at("created"), true);
    EXPECT_EQ(topic.at("settings").at("window_bytes"), 1'000'000);
    EXPECT_EQ(topic.at("settings").at("slow_consumer"), "dropOldest");
    EXPECT_EQ(topic.at("settings").at("slow_wildcard"), "dropOldest");
    EXPECT_EQ(run("topic.create", {{"name", "plain"}}).at("settings").at("window_bytes"), hub.broker().limits().windowBytes);
    EXPECT_THAT(refused("topic.create", R"({"name": "t"})", Error::topicExists), HasSubstr("'t'"));
}

TEST_F(AdminTest, changes_only_the_settings_that_are_said) {
    run("topic.create", {{"name", "t"}, {"settings", {{"max_publishers", 3}, {"allowed_policies", {"disconnect"}}}}});
    auto const settings = run("topic.set", {{"name", "t"}, {"settings", {{"max_subscriptions", 5}}}}).at("settings");
    EXPECT_EQ(settings.at("max_publishers"), 3);
    EXPECT_EQ(settings.at("max_subscriptions"), 5);
    EXPECT_EQ(settings.at("allowed_policies"), Json::array({"disconnect"}));
}

TEST_F(AdminTest, refuses_what_it_does_not_understand_and_says_what_is_right) {
    EXPECT_THAT(refused("topic.make", "{}", Error::noSuchOperation), HasSubstr("topic.make"));
    EXPECT_THAT(refused("topic.create", "{}"), HasSubstr("'name' is missing"));
    EXPECT_THAT(refused("topic.create", ""), HasSubstr("'name' is missing"));
    EXPECT_THAT(refused("topic.create", "not json"), HasSubstr("JSON object"));
    EXPECT_THAT(refused("topic.create", "[1]"), HasSubstr("JSON object"));
    EXPECT_THAT(refused("topic.create", R"({"name": 5})"), HasSubstr("'name' is not a text"));
    EXPECT_THAT(refused("topic.create", R"({"name": "t", "setings": {}})"), testing::AllOf(HasSubstr("setings"), HasSubstr("settings")));
    auto const settings = [&](std::string const& text) { return refused("topic.create", R"({"name": "t", "settings": )" + text + "}"); };
    EXPECT_THAT(settings(R"({"window": 5})"), testing::AllOf(HasSubstr("'window'"), HasSubstr("window_bytes")));
    EXPECT_THAT(settings(R"({"window_bytes": 5})"), testing::AllOf(HasSubstr("is 5"), HasSubstr("65536")));
    EXPECT_THAT(settings(R"({"window_bytes": -5})"), HasSubstr("whole number"));
    EXPECT_THAT(settings(R"({"window_bytes": "8MB"})"), HasSubstr("whole number"));
    EXPECT_THAT(settings(R"({"slow_consumer": "drop"})"), testing::AllOf(HasSubstr("'drop'"), HasSubstr("dropOldest")));
    EXPECT_THAT(settings(R"({"slow_wildcard": "block"})"), HasSubstr("allowed_policies"));
    EXPECT_THAT(settings(R"({"allowed_policies": "block"})"), HasSubstr("list"));
    EXPECT_THAT(settings(R"({"allowed_policies": [1]})"), HasSubstr("allowed_policies"));
    EXPECT_THAT(settings("5"), HasSubstr("settings"));
    EXPECT_EQ(hub.broker().topicCount(), 0U) << "nothing is half done";
}

TEST_F(AdminTest, refuses_names_by_their_rule) {
    EXPECT_THAT(refused("topic.create", R"({"name": "a..b"})", Error::nameEmptyLevel), HasSubstr("'a..b'"));
    EXPECT_THAT(refused("topic.delete", R"({"name": "none"})", Error::noSuchTopic), HasSubstr("'none'"));
    for (auto const* operation : {"topic.info", "topic.pause", "topic.resume", "topic.purge"}) {
        refused(operation, R"({"name": "none"})", Error::noSuchTopic);
    }
    refused("topic.set", R"({"name": "none", "settings": {}})", Error::noSuchTopic);
}

TEST_F(AdminTest, lists_topics_in_order_in_pages_and_by_pattern) {
    for (auto const* name : {"b", "a.1", "a.2", "a.3", "c d", "\xC3\xA9"}) run("topic.create", {{"name", name}});
    EXPECT_THAT(namesOf(run("topic.list")), ElementsAre("a.1", "a.2", "a.3", "b", "c d", "\xC3\xA9"));
    EXPECT_THAT(namesOf(run("topic.list", {{"pattern", "a.*"}})), ElementsAre("a.1", "a.2", "a.3"));
    auto const first = run("topic.list", {{"limit", 4}});
    EXPECT_EQ(first.at("next"), "b");
    auto const second = run("topic.list", {{"limit", 4}, {"after", first.at("next")}});
    EXPECT_THAT(namesOf(second), ElementsAre("c d", "\xC3\xA9"));
    EXPECT_FALSE(second.contains("next"));
    EXPECT_THAT(refused("topic.list", R"({"pattern": "a*"})"), HasSubstr("'a*'"));
    EXPECT_THAT(refused("topic.list", R"({"limit": 0})"), HasSubstr("1 to 1000"));
}

TEST_F(AdminTest, tells_what_waits_in_a_topic_and_for_whom) {
    FakeClient publisher{hub};
    FakeClient reader{hub};
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    for (int i = 0; i < 3; ++i) publisher.publish(1, "x");
    auto const info = run("topic.info", {{"name", "t"}});
    EXPECT_EQ(info.at("created"), false);
    EXPECT_EQ(info.at("publishers"), 1);
    EXPECT_EQ(info.at("subscriptions"), 1);
    EXPECT_EQ(info.at("messages_in"), 3);
    EXPECT_EQ(info.at("window_messages"), 3);
    EXPECT_EQ(info.at("window_bytes"), info.at("bytes_in"));
    EXPECT_EQ(info.at("partitions").at(0).at("next_offset"), 3);
    ASSERT_THAT(info.at("readers"), SizeIs(1));
    EXPECT_EQ(info.at("readers")[0].at("client"), "fake");
    EXPECT_EQ(info.at("readers")[0].at("lag_messages"), 3);
    EXPECT_EQ(run("topic.purge", {{"name", "t"}}), (Json{{"name", "t"}, {"purged", 3}, {"dropped", 3}}));
    EXPECT_EQ(run("topic.info", {{"name", "t"}}).at("readers")[0].at("messages_dropped"), 3);
}

TEST_F(AdminTest, pauses_resumes_and_deletes) {
    run("topic.create", {{"name", "t"}});
    EXPECT_EQ(run("topic.pause", {{"name", "t"}}).at("paused"), true);
    EXPECT_EQ(run("topic.resume", {{"name", "t"}}).at("paused"), false);
    run("topic.delete", {{"name", "t"}});
    EXPECT_THAT(namesOf(run("topic.list")), testing::IsEmpty());
}

TEST_F(AdminTest, shows_connections_and_ends_one) {
    FakeClient first{hub};
    FakeClient second{hub};
    second.subscribe(1, "t");
    auto const all = run("connections").at("connections");
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].at("client"), "fake");
    EXPECT_EQ(all[1].at("subscriptions"), 1);
    EXPECT_EQ(run("connections", {{"limit", 1}}).at("next"), all[0].at("connection"));
    EXPECT_EQ(run("kick", {{"connection", all[0].at("connection")}}).at("client"), "fake");
    hub.settle();
    EXPECT_EQ(first.goodbye(), Error::kicked);
    EXPECT_EQ(second.goodbye(), Error::ok);
    EXPECT_THAT(refused("kick", R"({"connection": 99})", Error::noSuchConnection), HasSubstr("99"));
}

TEST_F(AdminTest, bears_names_of_clients_that_are_no_text) {
    FakeClient client{hub, false};
    Hello hello;
    hello.clientName = "\xFF\xFE";
    client.send(hello);
    client.send(AdminRequest{1, "connections", {}});
    ASSERT_TRUE(client.last<AdminReply>());
    EXPECT_EQ(client.last<AdminReply>()->code, Error::ok);
}

TEST_F(AdminTest, answers_the_session_that_asked_with_its_number) {
    FakeClient client{hub};
    client.send(AdminRequest{7, "topic.create", R"({"name": "t"})"});
    auto const good = client.last<AdminReply>();
    ASSERT_TRUE(good);
    EXPECT_EQ(good->requestId, 7U);
    EXPECT_EQ(Json::parse(good->result.text).at("name"), "t");
    client.send(AdminRequest{8, "topic.create", R"({"name": "t"})"});
    auto const bad = client.last<AdminReply>();
    EXPECT_EQ(bad->requestId, 8U);
    EXPECT_EQ(bad->code, Error::topicExists);
    EXPECT_EQ(bad->result.text, "");
    hub.broker().answer(12345, {1, Error::ok, {}, {}});
}

TEST_F(AdminTest, counts_what_the_hub_did) {
    FakeClient publisher{hub};
    publisher.open(1, "t");
    publisher.publish(1, "x");
    auto const stats = run("stats");
    EXPECT_EQ(stats.at("topics"), 1);
    EXPECT_EQ(stats.at("connections"), 1);
    EXPECT_EQ(stats.at("messages_in"), 1);
    EXPECT_EQ(stats.at("messages_out"), 0);
}

}  // namespace
}  // namespace gazellemq::hub
