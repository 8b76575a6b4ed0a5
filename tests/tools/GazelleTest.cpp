#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include <nlohmann/json.hpp>

#include "HubProcess.hpp"
#include "PublisherClient.hpp"

/// The command line as people call it: `gazelle` against a hub, each a process.
namespace gazellemq::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Gazelle : public testing::Test {
  protected:
    struct Result {
        std::string end;
        std::string out;
        std::string err;
    };

    ChildProcess::Setup call(std::vector<std::string> words) const {
        words.insert(words.begin(), GAZELLE_TOOL);
        // The machine's own configuration does not count.
        return {.words = std::move(words), .environment = {"GAZELLE_HUB=" + hub.url(), "XDG_CONFIG_HOME=/nowhere"}};
    }
    Result run(std::vector<std::string> words) const {
        ChildProcess program{call(std::move(words))};
        program.closeInput();
        Result result;
        result.out = program.restOfOutput();
        result.end = program.waitForEnd();
        result.err = program.errors();
        return result;
    }
    std::string good(std::vector<std::string> words) const {
        auto const result = run(std::move(words));
        EXPECT_EQ(result.end, "exit 0") << result.err;
        EXPECT_EQ(result.err, "");
        return result.out;
    }
    nlohmann::json json(std::vector<std::string> words) const {
        words.insert(words.begin(), "--json");
        return nlohmann::json::parse(good(std::move(words)));
    }

    HubProcess hub;
};

TEST_F(Gazelle, creates_shows_changes_and_deletes_topics) {
    EXPECT_THAT(good({"topic", "create", "orders", "--window-bytes", "1MB", "--allow", "disconnect"}), AllOf(HasSubstr("orders"), HasSubstr("1.0 MB")));
    EXPECT_THAT(good({"topic", "list"}), HasSubstr("orders"));
    EXPECT_EQ(json({"topic", "info", "orders"}).at("settings").at("allowed_policies"), nlohmann::json::array({"disconnect"}));
    EXPECT_EQ(json({"topic", "set", "orders", "--max-publishers", "3"}).at("settings").at("max_publishers"), 3);
    EXPECT_EQ(json({"topic", "info", "orders"}).at("settings").at("window_bytes"), 1024 * 1024) << "what is not named stays";
    EXPECT_THAT(good({"topic", "pause", "orders"}), HasSubstr("paused orders"));
    EXPECT_THAT(good({"topic", "list"}), HasSubstr("orders (paused)"));
    EXPECT_THAT(good({"topic", "resume", "orders"}), HasSubstr("resumed orders"));
    EXPECT_THAT(good({"topic", "delete", "orders"}), HasSubstr("deleted orders"));
    EXPECT_THAT(json({"topic", "list"}), IsEmpty());
}

TEST_F(Gazelle, takes_names_of_any_legal_kind_and_refuses_others_with_their_rule) {
    for (auto const* name : {"with space", "caf\xC3\xA9", "a/b", "--", "-x"}) {
        EXPECT_EQ(json({"topic", "create", "--", name}).at("name"), name);
        EXPECT_EQ(json({"topic", "delete", "--", name}).at("name"), name);
    }
    for (auto const* name : {"..", "a..b", "", "a.*", "a\nb", " x"}) {
        auto const result = run({"topic", "create", "--", name});
        EXPECT_EQ(result.end, "exit 1") << name;
        EXPECT_THAT(result.err, HasSubstr("gazelle: topic '")) << name;
    }
}

TEST_F(Gazelle, lists_more_topics_than_a_page_has) {
    client::PublisherClient publisher;
    publisher.connectToHub("many", hub.url());
    for (int i = 0; i < 1500; ++i) ASSERT_EQ(publisher.publish("topic." + std::to_string(i), "x"), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(json({"topic", "list"}).size(), 1500U);
    EXPECT_EQ(json({"topic", "list", "topic.7"}).size(), 1U);
}

TEST_F(Gazelle, publishes_and_prints_messages) {
    ChildProcess subscriber{call({"sub", "orders.*", "--count", "3"})};
    ASSERT_TRUE(eventually([&] { return json({"connections"}).size() > 1; }));
    ASSERT_TRUE(eventually([&] { return json({"stats"}).at("subscriptions") == 1; }));
    EXPECT_THAT(good({"pub", "orders.new", "hello", "--count", "2"}), HasSubstr("published 2 messages"));
    EXPECT_EQ(json({"pub", "orders.old", "bye"}).at("confirmed"), 1);
    EXPECT_EQ(subscriber.nextLine(), "[orders.new] hello");
    EXPECT_EQ(subscriber.nextLine(), "[orders.new] hello");
    EXPECT_EQ(subscriber.nextLine(), "[orders.old] bye");
    EXPECT_EQ(subscriber.waitForEnd(), "exit 0");
}

TEST_F(Gazelle, publishes_the_lines_of_stdin) {
    ChildProcess subscriber{call({"sub", "lines", "--raw", "--count", "3"})};
    ASSERT_TRUE(eventually([&] { return json({"stats"}).at("subscriptions") == 1; }));
    auto piped = call({});
    piped.words = {"/bin/sh", "-c", std::string{"printf 'one\\n\\nthree\\n' | "} + GAZELLE_TOOL + " pub lines -"};
    ChildProcess publisher{piped};
    EXPECT_EQ(publisher.waitForEnd(), "exit 0") << publisher.errors();
    EXPECT_EQ(subscriber.nextLine(), "one");
    EXPECT_EQ(subscriber.nextLine(), "");
    EXPECT_EQ(subscriber.nextLine(), "three");
}

TEST_F(Gazelle, ends_quietly_when_nobody_reads_its_output_or_it_is_interrupted) {
    ChildProcess interrupted{call({"sub", "t"})};
    ASSERT_TRUE(eventually([&] { return json({"stats"}).at("subscriptions") == 1; }));
    interrupted.signal(SIGINT);
    EXPECT_EQ(interrupted.waitForEnd(), "exit 0") << interrupted.errors();
    auto head = call({});
    head.words = {"/bin/bash", "-c", std::string{GAZELLE_TOOL} + " sub t --raw | head -n 1"};
    ChildProcess reader{head};
    ASSERT_TRUE(eventually([&] { return json({"stats"}).at("subscriptions") == 1; }));
    ASSERT_TRUE(eventually([&] {
        good({"pub", "t", "x", "--count", "1000"});
        return !reader.running();
    }));
    EXPECT_EQ(reader.nextLine(), "x");
    EXPECT_EQ(reader.errors(), "");
}

TEST_F(Gazelle, shows_who_is_connected_and_ends_connections) {
    ChildProcess subscriber{call({"sub", "t"})};
    ASSERT_TRUE(eventually([&] { return json({"stats"}).at("subscriptions") == 1; }));
    std::uint64_t id = 0;
    for (auto const& connection : json({"connections"})) {
        if (connection.at("client") == "gazelle sub") id = connection.at("connection");
    }
    EXPECT_THAT(good({"kick", std::to_string(id)}), HasSubstr("kicked gazelle sub"));
    EXPECT_EQ(run({"kick", "999999"}).end, "exit 1");
}

TEST_F(Gazelle, says_what_is_wrong_and_what_to_do_with_an_exit_code_for_each_kind) {
    auto const unreachable = run({"--hub", "unix:///no/such/socket", "topic", "list"});
    EXPECT_EQ(unreachable.end, "exit 3");
    EXPECT_THAT(unreachable.err, AllOf(HasSubstr("unix:///no/such/socket"), HasSubstr("is gazelle-hub running there?")));
    for (auto const* command : {"pub", "sub"}) EXPECT_EQ(run({"--hub", "unix:///no/such/socket", command, "t"}).end, "exit 3") << command;
    auto const refused = run({"topic", "purge", "none", "--json"});
    EXPECT_EQ(refused.end, "exit 1");
    EXPECT_EQ(nlohmann::json::parse(refused.out).at("error"), "noSuchTopic");
    EXPECT_THAT(run({"topic", "create", "t", "--slow-consumer", "drop"}).err, HasSubstr("the policies are block, dropOldest, disconnect"));
    EXPECT_EQ(run({"topic", "creat", "t"}).end, "exit 2");
    EXPECT_EQ(run({}).end, "exit 2");
    EXPECT_THAT(good({"topic", "create", "--help"}), HasSubstr("--window-bytes"));
    EXPECT_THAT(good({"ping"}), HasSubstr("gazelle-hub"));
}

}  // namespace
}  // namespace gazellemq::test
