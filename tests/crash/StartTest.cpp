#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "Canary.hpp"
#include "HubProcess.hpp"
#include "RawClient.hpp"
#include "Received.hpp"

/// gazelle-hub as a program: what it prints, what it refuses, and what its output may be connected to.
namespace gazellemq::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

void expectRefused(std::vector<std::string> const& options, std::string const& end, std::vector<std::string> const& words) {
    ChildProcess hub{HubProcess::command(options)};
    EXPECT_EQ(hub.waitForEnd(), end);
    EXPECT_EQ(hub.restOfOutput(), "");
    for (auto const& word : words) EXPECT_THAT(hub.errors(), HasSubstr(word));
}

TEST(HubStart, one_ready_line_names_the_port_that_is_served) {
    HubProcess hub;
    EXPECT_EQ(hub.port(), HubProcess::listeningPort(hub.process().pid()));
    RawClient raw{hub.port()};
    EXPECT_TRUE(raw.greet());
    EXPECT_EQ(Canary{hub.url()}.trouble(), "");
    raw.reset();
    EXPECT_EQ(hub.stop(), "exit 0");
    EXPECT_EQ(hub.process().restOfOutput(), "") << "one line in all";
}

TEST(HubStart, several_addresses_are_served_as_one_hub_also_with_ipv6) {
    std::ifstream addresses{"/proc/net/if_inet6"};
    if (addresses.peek() == std::ifstream::traits_type::eof()) GTEST_SKIP() << "this machine has no IPv6";
    ChildProcess hub{HubProcess::command({"--listen", "tcp://127.0.0.1:0", "--listen", "tcp://[::1]:0"})};
    auto const line = hub.nextLine().value_or(hub.errors());
    ASSERT_THAT(line, MatchesRegex("gazelle-hub is ready on tcp://127\\.0\\.0\\.1:[0-9]+ tcp://\\[::1\\]:[0-9]+"));
    auto const first = line.find("tcp://");
    auto const second = line.rfind("tcp://");
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", line.substr(first, second - first - 1));
    ASSERT_EQ(subscriber.subscribe("both"), Error::ok);
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", line.substr(second));
    EXPECT_EQ(publisher.publish("both", "hello"), Error::ok);
    EXPECT_TRUE(subscriber.messages.waitFor(1));
    EXPECT_EQ(subscriber.payloads(), std::vector<std::string>{"hello"});
    hub.signal(SIGTERM);
    EXPECT_EQ(hub.waitForEnd(), "exit 0");
}

TEST(HubStart, a_port_in_use_is_told_with_the_remedy) {
    HubProcess hub;
    expectRefused({"--listen", hub.url()}, "exit 1", {hub.url(), "in use", "another port"});
    expectRefused({"--listen", "tcp://127.0.0.1:0", "--listen", hub.url()}, "exit 1", {hub.url(), "in use"});
    EXPECT_EQ(Canary{hub.url()}.trouble(), "");
}

TEST(HubStart, addresses_beyond_this_machine_need_to_be_insisted_on) {
    expectRefused({"--listen", "tcp://0.0.0.0:0"}, "exit 1", {"tcp://0.0.0.0:0", "--insecure"});
    ChildProcess hub{HubProcess::command({"--listen", "tcp://0.0.0.0:0", "--insecure"})};
    EXPECT_THAT(hub.nextLine().value_or(hub.errors()), MatchesRegex("gazelle-hub is ready on tcp://0\\.0\\.0\\.0:[1-9][0-9]*"));
}

TEST(HubStart, bad_options_end_it_with_exit_code_2) {
    expectRefused({"--listen", "5875"}, "exit 2", {"--listen", "tcp://host:port"});
    expectRefused({"--no-such-option"}, "exit 2", {"--no-such-option"});
    expectRefused({"--listen", "tcp://127.0.0.1:0", "--window-bytes", "1KB"}, "exit 2", {"--window-bytes", "at least 64 KB"});
}

TEST(HubStart, variables_and_a_file_are_read) {
    auto const file = std::filesystem::temp_directory_path() / ("gazelle-start-" + std::to_string(::getpid()) + ".toml");
    std::ofstream{file} << "listen = [\"tcp://127.0.0.1:0\"]\nlog_level = \"debug\"\n";
    auto setup = HubProcess::command({});
    setup.environment = {"GAZELLE_CONFIG=" + file.string(), "GAZELLE_MAX_OPEN_TOPICS=77"};
    ChildProcess hub{setup};
    EXPECT_THAT(hub.nextLine().value_or(hub.errors()), MatchesRegex("gazelle-hub is ready on tcp://127\\.0\\.0\\.1:[0-9]+"));
    RawClient raw{HubProcess::listeningPort(hub.pid())};
    ASSERT_TRUE(raw.greet());
    EXPECT_EQ(raw.received().last<protocol::Welcome>()->maxOpenTopics, 77u);
    EXPECT_TRUE(eventually([&] { return hub.errors().find(" debug ") != std::string::npos; })) << hub.errors();
    std::filesystem::remove(file);
}

/// stdout and stderr of the hub: captured, closed before it starts, or a pipe that nobody reads any more.
using Output = std::tuple<ChildProcess::Stream, ChildProcess::Stream>;

class HubOutput : public testing::TestWithParam<Output> {};

TEST_P(HubOutput, does_not_matter_to_whom_it_serves) {
    auto setup = HubProcess::command({"--listen", "tcp://127.0.0.1:0", "--log-level", "debug"});
    std::tie(setup.out, setup.err) = GetParam();
    ChildProcess hub{setup};
    auto const port = HubProcess::listeningPort(hub.pid());
    ASSERT_NE(port, 0) << hub.waitForEnd(0ms);
    for (int i = 0; i < 30; ++i) {
        RawClient raw{port};
        ASSERT_TRUE(raw.greet("one of many that the log tells of")) << hub.waitForEnd(0ms);
        ASSERT_TRUE(raw.sendFrame(protocol::Goodbye{Error::stalled, "a warning in the log"}));
        raw.waitForEnd();
        EXPECT_EQ(raw.received().problem(), "");
    }
    for (int fd = 0; fd <= 2; ++fd) {
        auto const target = std::filesystem::read_symlink("/proc/" + std::to_string(hub.pid()) + "/fd/" + std::to_string(fd)).string();
        EXPECT_FALSE(target.starts_with("socket:") || target.starts_with("anon_inode:")) << "fd " << fd << " is " << target;
    }
    EXPECT_EQ(Canary{"tcp://127.0.0.1:" + std::to_string(port)}.trouble(), "");
    hub.signal(SIGTERM);
    EXPECT_EQ(hub.waitForEnd(), "exit 0");
}

constexpr auto kCaptured = ChildProcess::Stream::captured;
constexpr auto kClosed = ChildProcess::Stream::closed;
constexpr auto kBroken = ChildProcess::Stream::brokenPipe;
INSTANTIATE_TEST_SUITE_P(Everything, HubOutput,
                         testing::Values(Output{kClosed, kCaptured}, Output{kCaptured, kClosed}, Output{kClosed, kClosed},
                                         Output{kBroken, kCaptured}, Output{kCaptured, kBroken}, Output{kBroken, kBroken}));

}  // namespace
}  // namespace gazellemq::test
