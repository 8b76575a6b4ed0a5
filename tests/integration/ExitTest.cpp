#include <gtest/gtest.h>

#include "ChildProcess.hpp"
#include "TestHub.hpp"

/// B14 and static destruction: programs that end right after they have published.
namespace gazellemq::client {
namespace {

using namespace test;

class ProgramEnd : public testing::Test {
  protected:
    /// How the program ended.
    std::string run(std::string const& way, int count, std::chrono::milliseconds limit = kPatience) {
        ChildProcess program{{.words = {GAZELLEMQ_EXIT_PROGRAM, way, std::to_string(port), std::to_string(count)}}};
        auto const end = program.waitForEnd(limit);
        if (end != "running") output = program.restOfOutput();
        return end;
    }
    std::uint64_t arrived() { return hub.server().stats().messagesIn; }

    TestHub hub;
    std::uint16_t port = hub.port();
    std::string output;
};

TEST_F(ProgramEnd, returning_from_main_sends_what_was_published) {
    std::uint64_t sum = 0;
    for (auto const count : {1, 100, 50'000}) {
        EXPECT_EQ(run("return", count), "exit 0");
        sum += static_cast<std::uint64_t>(count);
        EXPECT_EQ(arrived(), sum);
    }
}

TEST_F(ProgramEnd, every_other_orderly_end_does_too) {
    std::uint64_t sum = 0;
    for (auto const* way : {"exit", "exit-on-another-thread", "static-object"}) {
        EXPECT_EQ(run(way, 1000), "exit 0") << way;
        sum += 1000;
        EXPECT_EQ(arrived(), sum) << way;
    }
}

TEST_F(ProgramEnd, exit_in_a_callback_and_while_one_runs_does_not_hang) {
    for (auto const* way : {"exit-in-callback", "exit-while-callback-runs"}) {
        EXPECT_EQ(run(way, 0), "exit 0") << way;
    }
    EXPECT_EQ(arrived(), 12U) << "exit() in a callback sends what was published";
}

TEST_F(ProgramEnd, destructors_of_globals_may_use_the_clients_and_are_told_that_they_are_closed) {
    EXPECT_EQ(run("after-main", 10), "exit 0");
    EXPECT_EQ(output, "closed after main\n");
    EXPECT_EQ(arrived(), 10U);
}

TEST_F(ProgramEnd, clients_that_were_never_connected_delay_nothing) {
    for (auto const* way : {"never-connected", "untouched"}) {
        EXPECT_EQ(run(way, 100, 5s), "exit 0") << way;
    }
}

TEST_F(ProgramEnd, a_hub_that_is_not_there_delays_nothing) {
    hub.stop();
    EXPECT_EQ(run("return", 100, 5s), "exit 0");
}

}  // namespace
}  // namespace gazellemq::client
