#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>

#include "ChildProcess.hpp"

/// The real program, with short runs: it ends well, and its report holds what scripts read.
namespace gazellemq::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::chrono::seconds kRunLimit{100};

struct Outcome {
    std::string end;
    std::string output;
    std::string errors;

    json report() const { return json::parse(output, nullptr, false); }
};

Outcome run(std::vector<std::string> words, std::vector<std::string> const& environment = {}) {
    words.insert(words.begin(), GAZELLE_PERF);
    ChildProcess program{{.words = words, .environment = environment}};
    auto end = program.waitForEnd(kRunLimit);
    return {std::move(end), program.restOfOutput(), program.errors()};
}

void expectNoFaults(json const& report) {
    for (auto const* fault : {"lost", "duplicated", "out_of_order", "corrupt"})
        EXPECT_EQ(report.at(fault), 0) << fault;
}

void expectPositive(json const& report, std::vector<std::string> const& names) {
    for (auto const& name : names) EXPECT_GT(report.value(name, 0.0), 0) << name;
}

TEST(PerfProgram, measures_one_publisher_and_one_subscriber) {
    auto const outcome = run({"pubsub", "--messages", "20000", "--runs", "1", "--json"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    EXPECT_EQ(report.at("messages"), 20'000);
    EXPECT_EQ(report.at("size"), 86);
    EXPECT_EQ(report.at("per_run").size(), 1U);
    expectPositive(report, {"elapsed_ms", "messages_per_second", "delivered_per_second", "megabytes_per_second",
                            "hub_cpu_ns_per_message", "hub_peak_rss_bytes"});
    expectPositive(report.at("cpu_seconds"), {"publisher", "hub", "subscriber"});
    expectNoFaults(report);
}

TEST(PerfProgram, compares_the_hub_with_the_relay_in_at_least_five_pairs) {
    auto const outcome = run({"pubsub", "--messages", "20000", "--runs", "1", "--vs-relay", "--json"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    EXPECT_EQ(report.at("per_run").size(), 5U);
    expectPositive(report, {"vs_relay_ratio", "relay_messages_per_second", "relay_cpu_ns_per_message"});
    expectNoFaults(report);
}

TEST(PerfProgram, measures_a_hub_on_a_unix_socket) {
    for (auto const* command : {"pubsub --messages 20000", "pingpong --rounds 200", "latency --rate 5000 --seconds 1"}) {
        std::vector<std::string> words;
        std::istringstream text{command};
        for (std::string word; text >> word;) words.push_back(word);
        words.insert(words.end(), {"--transport", "unix", "--runs", "1", "--json"});
        auto const outcome = run(words);
        ASSERT_EQ(outcome.end, "exit 0") << command << ": " << outcome.errors;
        EXPECT_EQ(outcome.report().at("transport"), "unix") << command;
        expectNoFaults(outcome.report());
    }
}

TEST(PerfProgram, measures_several_publishers_subscribers_and_topics) {
    auto const outcome = run({"pubsub", "--messages", "20000", "--runs", "1", "--json", "--publishers", "3",
                              "--subscribers", "2", "--topics", "4"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    EXPECT_EQ(report.at("publishers"), 3);
    EXPECT_EQ(report.at("subscribers"), 2);
    EXPECT_EQ(report.at("topics"), 4);
    EXPECT_DOUBLE_EQ(report.at("delivered_per_second"), 2 * report.at("messages_per_second").get<double>());
    expectNoFaults(report);
}

TEST(PerfProgram, measures_the_relay) {
    auto const outcome = run({"relay", "--messages", "20000", "--runs", "1", "--json"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    expectPositive(report,
                   {"elapsed_ms", "messages_per_second", "relay_cpu_ns_per_message", "relay_peak_rss_bytes"});
    expectNoFaults(report);
}

std::vector<std::string> const kLatencies{"p50_us", "p90_us", "p99_us", "p999_us", "max_us"};
std::vector<std::string> const kRelayLatencies{"relay_p50_us", "relay_p90_us", "relay_p99_us",
                                               "relay_p999_us", "relay_max_us"};

TEST(PerfProgram, measures_the_relay_through_unix_sockets_and_leaves_none) {
    auto folder = testing::TempDir() + "gazelle-perf-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    auto const outcome = run({"relay", "--messages", "20000", "--runs", "1", "--json", "--transport", "unix"},
                             {"TMPDIR=" + folder});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    EXPECT_EQ(outcome.report().at("transport"), "unix");
    expectNoFaults(outcome.report());
    EXPECT_EQ(rmdir(folder.c_str()), 0) << folder << " is not empty";
}

TEST(PerfProgram, measures_round_trips) {
    auto const outcome = run({"pingpong", "--rounds", "500", "--runs", "2", "--vs-relay", "--json"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    EXPECT_EQ(report.at("rounds"), 500);
    EXPECT_EQ(report.at("size"), 86);
    EXPECT_EQ(report.at("per_run").size(), 2U);
    EXPECT_EQ(report.at("relay").at("per_run").size(), 2U);
    expectPositive(report, kLatencies);
    expectPositive(report, kRelayLatencies);
    expectPositive(report, {"vs_relay_ratio", "vs_relay_p99_ratio"});
    expectNoFaults(report);
}

TEST(PerfProgram, measures_latency_at_a_steady_rate) {
    auto const outcome =
        run({"latency", "--rate", "5000", "--seconds", "1", "--runs", "1", "--vs-relay", "--json"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    EXPECT_EQ(report.at("rate"), 5000);
    EXPECT_EQ(report.at("seconds"), 1);
    EXPECT_EQ(report.at("messages"), 5000);
    expectPositive(report, kLatencies);
    expectPositive(report, kRelayLatencies);
    expectPositive(report, {"vs_relay_ratio", "vs_relay_p99_ratio"});
    expectNoFaults(report);
}

TEST(PerfProgram, soaks_a_hub_that_comes_back_to_its_base) {
    auto const outcome = run({"soak", "--minutes", "0.05", "--json"});
    ASSERT_EQ(outcome.end, "exit 0") << outcome.errors;
    auto const report = outcome.report();
    EXPECT_EQ(report.at("ok"), true);
    EXPECT_EQ(report.at("base_descriptors"), report.at("end_descriptors"));
    for (auto const* held : {"end_connections", "end_subscriptions", "end_topics", "end_buffer_bytes"}) EXPECT_EQ(report.at(held), 0) << held;
    expectPositive(report, {"messages", "clients_killed", "churn_rounds", "base_rss_bytes", "end_rss_bytes"});
    expectNoFaults(report);
}

TEST(PerfProgram, measures_beside_stalled_subscribers_that_account_for_every_message) {
    for (std::string const policy : {"dropOldest", "disconnect"}) {
        auto const outcome = run({"pubsub", "--messages", "200000", "--size", "200", "--subscribers", "2", "--stalled", "2",
                                  "--stalled-policy", policy, "--vs-without", "--json"});
        ASSERT_EQ(outcome.end, "exit 0") << policy << ": " << outcome.errors;
        auto const report = outcome.report();
        EXPECT_EQ(report.at("per_run").size(), 5U);
        EXPECT_EQ(report.at("stalled_policy"), policy);
        EXPECT_EQ(report.at("stalled_unaccounted"), 0);
        EXPECT_GT(report.at(policy == "disconnect" ? "stalled_cut" : "stalled_dropped"), 0) << policy;
        expectPositive(report, {"vs_without_ratio", "without_messages_per_second"});
        expectNoFaults(report);
    }
}

TEST(PerfProgram, refuses_to_leave_out_stalled_subscribers_that_are_not_there) {
    auto const outcome = run({"pubsub", "--vs-without"});
    EXPECT_EQ(outcome.end, "exit 2");
    EXPECT_THAT(outcome.errors, HasSubstr("give --stalled too"));
}

TEST(PerfProgram, watches_idle_connections) {
    for (auto const* transport : {"tcp", "unix"}) {
        auto const outcome = run({"idle", "--connections", "200", "--seconds", "1", "--transport", transport, "--json"});
        ASSERT_EQ(outcome.end, "exit 0") << transport << ": " << outcome.errors;
        EXPECT_EQ(outcome.report().at("connections"), 200);
        EXPECT_EQ(outcome.report().at("transport"), transport);
        expectPositive(outcome.report(), {"ready_ms", "hub_rss_bytes", "bytes_per_connection"});
    }
}

TEST(PerfProgram, says_when_a_process_may_not_have_that_many_connections) {
    std::vector<std::string> const words{"/bin/sh", "-c", "ulimit -n 100 && exec " GAZELLE_PERF " idle --connections 1000"};
    ChildProcess program{{.words = words}};
    EXPECT_EQ(program.waitForEnd(kRunLimit), "exit 1");
    EXPECT_THAT(program.errors(), HasSubstr("only 100 descriptors"));
}

TEST(PerfProgram, restarts_a_hub_and_waits_for_its_clients) {
    for (auto const* transport : {"tcp", "unix"}) {
        auto const outcome = run({"reconnect", "--clients", "20", "--runs", "2", "--transport", transport, "--json"});
        ASSERT_EQ(outcome.end, "exit 0") << transport << ": " << outcome.errors;
        EXPECT_EQ(outcome.report().at("clients"), 20);
        EXPECT_EQ(outcome.report().at("per_run_ready_ms").size(), 2U);
        expectPositive(outcome.report(), {"ready_ms", "ready_min_ms", "ready_max_ms"});
    }
}

TEST(PerfProgram, refuses_more_samples_than_it_can_keep) {
    auto const outcome = run({"latency", "--rate", "1000000", "--seconds", "3600"});
    EXPECT_EQ(outcome.end, "exit 2");
    EXPECT_THAT(outcome.errors, HasSubstr("lower --rate or --seconds"));
}

TEST(PerfProgram, names_what_is_wrong_with_an_option) {
    auto const outcome = run({"pubsub", "--size", "3"});
    EXPECT_EQ(outcome.end, "exit 2");
    EXPECT_THAT(outcome.errors, HasSubstr("3 is too small; the least is 16"));
}

TEST(PerfProgram, says_which_hub_it_did_not_reach) {
    auto const outcome = run({"pubsub", "--hub", "nothing"});
    EXPECT_EQ(outcome.end, "exit 1");
    EXPECT_THAT(outcome.errors, HasSubstr("nothing"));
}

}  // namespace
}  // namespace gazellemq::test
