#include <gtest/gtest.h>

#include "Canary.hpp"
#include "HubProcess.hpp"

/// B13: neither the SDK nor the hub ever dies of SIGPIPE, and the SDK leaves the program's signals alone.
namespace gazellemq::test {
namespace {

TEST(Sigpipe, does_not_kill_a_program_that_publishes_while_its_hub_is_killed) {
    HubProcess hub;
    // Looks after its own signals too, before and after, and those of a child of its own.
    ChildProcess program{{.words = {GAZELLE_CRASH_PROGRAM, "sigpipe", hub.url()}}};
    ASSERT_EQ(program.nextLine(), "ready") << program.errors();
    for (int round = 0; round < 30; ++round) {
        hub.kill();
        ASSERT_EQ(program.nextLine(), "disconnected") << program.waitForEnd(0ms) << program.errors();
        hub.start();
        ASSERT_EQ(program.nextLine(), "ready") << program.waitForEnd(0ms) << program.errors();
    }
    program.closeInput();
    EXPECT_EQ(program.waitForEnd(), "exit 0") << program.errors();
    EXPECT_EQ(hub.stop(), "exit 0");
}

}  // namespace
}  // namespace gazellemq::test
