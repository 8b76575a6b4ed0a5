#include "Options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gazellemq::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

/// Every option, as a flag.
std::vector<std::string> const kNames{"listen", "insecure", "log-level", "window-bytes", "max-memory", "max-payload-bytes",
                                      "max-topics", "max-partitions", "retain-bytes", "max-subscriptions", "max-open-topics", "max-control-bytes", "heartbeat",
                                      "handshake-timeout", "stall-limit", "idle-topic-ttl", "drain-limit",
                                      "max-connections", "max-connections-per-address", "max-log-line-bytes",
                                      "max-log-lines-per-second", "log-file", "log-file-bytes", "log-files", "pid-file", "daemon",
                                      "slow-consumer", "slow-wildcard", "max-topic-bytes", "max-unconfirmed-bytes",
                                      "data-dir", "reset-catalog", "auto-create"};

/// The variables of the machine that runs the tests do not count, and a configuration file can be written.
class Options : public testing::Test {
  protected:
    struct Parsed : hub::ParsedOptions {
        std::string out;
        std::string err;
    };

    Options() {
        for (auto const& name : kNames) ::unsetenv(variableOf(name).c_str());
        ::unsetenv("GAZELLE_CONFIG");
        ::unsetenv("STATE_DIRECTORY");
        folder_ = std::filesystem::temp_directory_path() / "gazelle-options-XXXXXX";
        auto pattern = folder_.string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~Options() override {
        for (auto const& name : set_) ::unsetenv(name.c_str());
        std::filesystem::remove_all(folder_);
    }

    static std::string variableOf(std::string const& name) {
        std::string variable = "GAZELLE_";
        for (auto const c : name) variable += c == '-' ? '_' : static_cast<char>(std::toupper(c));
        return variable;
    }

    void setVariable(std::string const& name, std::string const& value) {
        ::setenv(name.c_str(), value.c_str(), 1);
        set_.push_back(name);
    }

    std::string configFile(std::string const& text) {
        auto const path = folder_ / "hub.toml";
        std::ofstream{path} << text;
        return path.string();
    }

    static Parsed parse(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "gazelle-hub");
        std::vector<char const*> argv;
        for (auto const& argument : arguments) argv.push_back(argument.c_str());
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        Parsed parsed{hub::parseOptions(static_cast<int>(argv.size()), argv.data()), {}, {}};
        parsed.out = testing::internal::GetCapturedStdout();
        parsed.err = testing::internal::GetCapturedStderr();
        return parsed;
    }

    /// Refused: exit code 2, and the message says all of `words`.
    static void expectRefused(Parsed const& parsed, std::vector<std::string> const& words) {
        EXPECT_FALSE(parsed.run);
        EXPECT_EQ(parsed.exitCode, 2);
        EXPECT_EQ(parsed.out, "");
        for (auto const& word : words) EXPECT_THAT(parsed.err, HasSubstr(word));
    }

  private:
    std::filesystem::path folder_;
    std::vector<std::string> set_;
};

TEST_F(Options, without_any_the_documented_defaults_hold) {
    auto const parsed = parse({});
    ASSERT_TRUE(parsed.run);
    EXPECT_EQ(parsed.out + parsed.err, "");
    auto const& server = parsed.options.server;
    EXPECT_EQ(server.listen, std::vector<std::string>{"tcp://127.0.0.1:5875"});
    EXPECT_FALSE(server.insecure);
    EXPECT_EQ(parsed.options.log.level, hub::LogLevel::info);
    EXPECT_EQ(server.limits.windowBytes, 8u * 1024 * 1024);
    EXPECT_EQ(server.limits.stallLimit, 10s);
    EXPECT_EQ(server.drainLimit, 4s);
    EXPECT_TRUE(server.limits.autoCreate);
    EXPECT_EQ(server.dataDir, std::filesystem::absolute("gazelle-data").string());
    EXPECT_FALSE(server.resetCatalog);
}

TEST_F(Options, the_data_directory_is_the_service_managers_unless_another_is_given) {
    setVariable("STATE_DIRECTORY", "/var/lib/hub");
    EXPECT_EQ(parse({}).options.server.dataDir, "/var/lib/hub");
    EXPECT_EQ(parse({"--data-dir", "/elsewhere"}).options.server.dataDir, "/elsewhere");
    EXPECT_EQ(parse({"--data-dir", "none"}).options.server.dataDir, "");
}

TEST_F(Options, flags_set_every_option) {
    auto const parsed = parse({"--listen", "tcp://[::1]:1", "--listen", "tcp://localhost:2", "--insecure", "--log-level", "WARNING",
                               "--window-bytes", "1MB", "--max-memory", "2GB", "--max-payload-bytes", "100", "--max-topics", "3",
                               "--max-subscriptions", "4", "--max-open-topics", "5", "--max-control-bytes", "128KB", "--heartbeat",
                               "2s", "--handshake-timeout", "300", "--stall-limit", "1m", "--idle-topic-ttl", "2h", "--drain-limit",
                               "50ms", "--max-topic-bytes", "6", "--max-unconfirmed-bytes", "3MB", "--auto-create=false", "--reset-catalog"});
    ASSERT_TRUE(parsed.run) << parsed.err;
    auto const& server = parsed.options.server;
    auto const& limits = server.limits;
    EXPECT_EQ(server.listen, (std::vector<std::string>{"tcp://[::1]:1", "tcp://localhost:2"}));
    EXPECT_TRUE(server.insecure);
    EXPECT_EQ(parsed.options.log.level, hub::LogLevel::warning);
    EXPECT_EQ(limits.windowBytes, 1024u * 1024);
    EXPECT_EQ(limits.maxMemory, std::size_t{2} << 30);
    EXPECT_EQ(limits.maxPayloadBytes, 100u);
    EXPECT_EQ(limits.maxTopics, 3u);
    EXPECT_EQ(limits.maxSubscriptions, 4u);
    EXPECT_EQ(limits.maxOpenTopics, 5u);
    EXPECT_EQ(limits.maxTopicBytes, 6u);
    EXPECT_EQ(limits.maxUnconfirmedBytes, 3u * 1024 * 1024);
    EXPECT_EQ(limits.maxControlBytes, 128u * 1024);
    EXPECT_EQ(limits.heartbeat, 2s);
    EXPECT_EQ(limits.handshakeTimeout, 300ms);
    EXPECT_EQ(limits.stallLimit, 1min);
    EXPECT_EQ(limits.idleTopicTtl, 2h);
    EXPECT_EQ(server.drainLimit, 50ms);
    EXPECT_FALSE(limits.autoCreate);
    EXPECT_TRUE(server.resetCatalog);
}

TEST_F(Options, each_is_a_variable_too) {
    setVariable("GAZELLE_LISTEN", "tcp://127.0.0.1:7");
    setVariable("GAZELLE_INSECURE", "true");
    setVariable("GAZELLE_LOG_LEVEL", "debug");
    setVariable("GAZELLE_MAX_MEMORY", "64MB");
    setVariable("GAZELLE_HEARTBEAT", "3s");
    setVariable("GAZELLE_MAX_TOPICS", "12");
    auto const parsed = parse({});
    ASSERT_TRUE(parsed.run) << parsed.err;
    EXPECT_EQ(parsed.options.server.listen, std::vector<std::string>{"tcp://127.0.0.1:7"});
    EXPECT_TRUE(parsed.options.server.insecure);
    EXPECT_EQ(parsed.options.log.level, hub::LogLevel::debug);
    EXPECT_EQ(parsed.options.server.limits.maxMemory, 64u * 1024 * 1024);
    EXPECT_EQ(parsed.options.server.limits.heartbeat, 3s);
    EXPECT_EQ(parsed.options.server.limits.maxTopics, 12u);
}

TEST_F(Options, each_is_a_line_of_the_file_too) {
    auto const file = configFile("# a hub\n"
                                 "listen = [\"tcp://127.0.0.1:7\", \"tcp://[::1]:7\"]\n"
                                 "insecure = true\n"
                                 "log_level = \"error\"\n"
                                 "window_bytes = \"1MB\"\n"
                                 "max_payload_bytes = 4096\n"
                                 "stall_limit = \"30s\"\n"
                                 "drain_limit = 700\n");
    auto const parsed = parse({"--config", file});
    ASSERT_TRUE(parsed.run) << parsed.err;
    auto const& server = parsed.options.server;
    EXPECT_EQ(server.listen, (std::vector<std::string>{"tcp://127.0.0.1:7", "tcp://[::1]:7"}));
    EXPECT_TRUE(server.insecure);
    EXPECT_EQ(parsed.options.log.level, hub::LogLevel::error);
    EXPECT_EQ(server.limits.windowBytes, 1024u * 1024);
    EXPECT_EQ(server.limits.maxPayloadBytes, 4096u);
    EXPECT_EQ(server.limits.stallLimit, 30s);
    EXPECT_EQ(server.drainLimit, 700ms);
}

TEST_F(Options, a_flag_wins_over_a_variable_and_a_variable_over_the_file) {
    auto const file = configFile("listen = [\"tcp://127.0.0.1:1\"]\nmax_topics = 1\nmax_subscriptions = 1\nheartbeat = \"1s\"\n");
    setVariable("GAZELLE_CONFIG", file);
    setVariable("GAZELLE_LISTEN", "tcp://127.0.0.1:2");
    setVariable("GAZELLE_MAX_TOPICS", "2");
    setVariable("GAZELLE_HEARTBEAT", "2s");
    auto const parsed = parse({"--listen", "tcp://127.0.0.1:3", "--heartbeat", "3s"});
    ASSERT_TRUE(parsed.run) << parsed.err;
    EXPECT_EQ(parsed.options.server.listen, std::vector<std::string>{"tcp://127.0.0.1:3"});
    EXPECT_EQ(parsed.options.server.limits.heartbeat, 3s);
    EXPECT_EQ(parsed.options.server.limits.maxTopics, 2u);
    EXPECT_EQ(parsed.options.server.limits.maxSubscriptions, 1u) << "the file named by GAZELLE_CONFIG is read";
}

TEST_F(Options, bad_values_name_the_option_and_the_remedy) {
    expectRefused(parse({"--listen", "localhost:5875"}), {"--listen", "'localhost:5875'", "tcp://host:port"});
    expectRefused(parse({"--listen", "tcp://127.0.0.1:70000"}), {"--listen", "70000", "tcp://host:port", "unix:///path"});
    expectRefused(parse({"--log-level", "loud"}), {"--log-level", "loud", "debug", "warning"});
    expectRefused(parse({"--window-bytes", "8 parsec"}), {"--window-bytes", "parsec"});
    expectRefused(parse({"--max-topics", "many"}), {"--max-topics", "many"});
    expectRefused(parse({"--max-topics", "-1"}), {"--max-topics", "-1"});
    expectRefused(parse({"--max-subscriptions", "0"}), {"--max-subscriptions", "1"});
    expectRefused(parse({"--max-open-topics", "5000000000"}), {"--max-open-topics", "1000000000"});
    expectRefused(parse({"--window-bytes", "-1"}), {"--window-bytes", "'-1'", "8MB"});
    expectRefused(parse({"--max-memory", "-5GB"}), {"--max-memory", "'-5GB'"});
    expectRefused(parse({"--heartbeat", "5 fortnights"}), {"--heartbeat", "fortnights"});
    expectRefused(parse({"--max-memory"}), {"--max-memory"});
    expectRefused(parse({"--window-bytes", "99999999999999GB"}), {"--window-bytes"});
}

/// These are the server's own limits, also for embedders.
TEST_F(Options, values_out_of_range_name_the_option_and_the_remedy) {
    auto const expectThrows = [](std::vector<std::string> const& arguments, std::string const& remedy) {
        auto parsed = parse(arguments);
        ASSERT_TRUE(parsed.run) << parsed.err;
        try {
            hub::Server const server{parsed.options.server};
            FAIL() << arguments.front() << " " << arguments.back() << " is taken";
        } catch (std::invalid_argument const& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(arguments.front()), HasSubstr(remedy)));
        }
    };
    expectThrows({"--window-bytes", "1KB"}, "at least 64 KB");
    expectThrows({"--max-memory", "1MB"}, "at least windowBytes");
    expectThrows({"--max-payload-bytes", "0"}, "1 byte to 1 GB");
    expectThrows({"--max-control-bytes", "1"}, "at least 64 KB");
    expectThrows({"--heartbeat", "1ms"}, "100 ms to 1 hour");
    expectThrows({"--handshake-timeout", "0"}, "10 ms to 1000 hours");
    expectThrows({"--stall-limit", "-5s"}, "10 ms to 1000 hours");
    expectThrows({"--drain-limit", "-1s"}, "0 ms to 1000 hours");
    expectThrows({"--idle-topic-ttl", "9223372036854775807"}, "0 ms to 1000 hours");
}

TEST_F(Options, bad_variables_name_the_option) {
    setVariable("GAZELLE_MAX_TOPICS", "many");
    expectRefused(parse({}), {"max-topics", "many"});
}

TEST_F(Options, bad_values_in_the_file_name_the_option) {
    expectRefused(parse({"--config", configFile("heartbeat = \"soon\"\n")}), {"heartbeat", "soon"});
    expectRefused(parse({"--config", configFile("listen = [\"udp://x\"]\n")}), {"listen", "udp://x", "tcp://host:port"});
}

TEST_F(Options, unknown_names_are_refused) {
    expectRefused(parse({"--no-such-option"}), {"--no-such-option"});
    expectRefused(parse({"stray"}), {"stray"});
    expectRefused(parse({"--config", configFile("no_such_option = 1\n")}), {"no_such_option"});
    expectRefused(parse({"--config", configFile("[section]\nheartbeat = \"1s\"\n")}), {"section"});
}

TEST_F(Options, a_file_that_cannot_be_read_is_refused) {
    expectRefused(parse({"--config", "/does/not/exist.toml"}), {"/does/not/exist.toml"});
    setVariable("GAZELLE_CONFIG", "/does/not/exist.toml");
    expectRefused(parse({}), {"/does/not/exist.toml"});
}

TEST_F(Options, help_shows_every_option_with_its_variable_and_default) {
    auto const parsed = parse({"--help"});
    EXPECT_FALSE(parsed.run);
    EXPECT_EQ(parsed.exitCode, 0);
    EXPECT_EQ(parsed.err, "");
    for (auto const& name : kNames) EXPECT_THAT(parsed.out, AllOf(HasSubstr("--" + name + " "), HasSubstr(variableOf(name))));
    EXPECT_THAT(parsed.out, AllOf(HasSubstr("--config"), HasSubstr("--version"), HasSubstr("--check-config"), HasSubstr("Examples:"), HasSubstr("4000ms")));
    // ... and nothing that this test does not know.
    std::size_t flags = 0;
    for (auto at = parsed.out.find("\n  -"); at != std::string::npos; at = parsed.out.find("\n  -", at + 1)) ++flags;
    EXPECT_EQ(flags, kNames.size() + 4) << parsed.out;
}

TEST_F(Options, version_prints_one_line) {
    auto const parsed = parse({"--version"});
    EXPECT_FALSE(parsed.run);
    EXPECT_EQ(parsed.exitCode, 0);
    EXPECT_THAT(parsed.out, testing::MatchesRegex("gazelle-hub [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    EXPECT_EQ(parsed.err, "");
}

}  // namespace
}  // namespace gazellemq::test
