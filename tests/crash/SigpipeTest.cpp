#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "Canary.hpp"
#include "HubProcess.hpp"

/// B13: neither the SDK nor the hub ever dies of SIGPIPE, and the SDK leaves the program's signals alone.
namespace gazellemq::test {
namespace {

constexpr int kRounds = 50;

/// Publishes to `url` while `hub`, which serves there, is killed again and again.
void killWhilePublishing(HubProcess& hub, std::string const& url) {
    // Looks after its own signals too, before and after, and those of a child of its own.
    ChildProcess program{{.words = {GAZELLE_CRASH_PROGRAM, "sigpipe", url}}};
    ASSERT_EQ(program.nextLine(), "ready") << program.errors();
    for (int round = 0; round < kRounds; ++round) {
        hub.kill();
        ASSERT_EQ(program.nextLine(), "disconnected") << program.waitForEnd(0ms) << program.errors();
        hub.start();
        ASSERT_EQ(program.nextLine(), "ready") << program.waitForEnd(0ms) << program.errors();
    }
    program.closeInput();
    EXPECT_EQ(program.waitForEnd(), "exit 0") << program.errors();
    EXPECT_EQ(hub.stop(), "exit 0");
}

TEST(Sigpipe, does_not_kill_a_program_that_publishes_while_its_hub_is_killed) {
    HubProcess hub;
    killWhilePublishing(hub, hub.url());
}

TEST(Sigpipe, does_not_either_over_a_unix_socket) {
    auto folder = (std::filesystem::temp_directory_path() / "gazelle-sigpipe-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(folder.data()));
    auto const url = "unix://" + folder + "/hub.sock";
    {
        HubProcess hub{{"--listen", url}};
        killWhilePublishing(hub, url);
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gazellemq::test
