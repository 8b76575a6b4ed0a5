#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "Canary.hpp"
#include "HubProcess.hpp"
#include "RawClient.hpp"

/// B11: a hub without descriptors for more connections.
namespace gazellemq::test {
namespace {

std::size_t descriptorsOf(pid_t pid) {
    std::size_t count = 0;
    for ([[maybe_unused]] auto const& entry : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fd"}) ++count;
    return count;
}

std::size_t linesWith(std::string const& text, std::string const& word) {
    std::size_t lines = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++lines;
    return lines;
}

TEST(HubWithoutDescriptors, turns_newcomers_away_calmly_serves_the_others_and_recovers) {
    HubProcess hub;
    auto const pid = hub.process().pid();
    Canary canary{hub.url()};
    ASSERT_EQ(canary.trouble(), "");
    constexpr std::size_t kRoom = 5;
    rlimit const limit{descriptorsOf(pid) + kRoom, 4096};
    ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, &limit, nullptr), 0);

    std::vector<std::unique_ptr<RawClient>> served;
    std::size_t turnedAway = 0;
    for (int i = 0; i < 100; ++i) {
        auto client = std::make_unique<RawClient>(hub.port());
        if (client->greet()) {
            served.push_back(std::move(client));
        } else {
            ++turnedAway;
        }
    }
    // The limit is on the numbers, of which some below may be free and some above in use.
    EXPECT_GE(served.size(), kRoom - 2);
    EXPECT_LE(served.size(), kRoom + 5);
    EXPECT_EQ(turnedAway + served.size(), 100u) << "none is left waiting";
    EXPECT_TRUE(eventually([&] { return linesWith(hub.process().errors(), "cannot accept") > 0; }));
    EXPECT_LE(linesWith(hub.process().errors(), "cannot accept"), 10u) << "about one a second";
    EXPECT_EQ(canary.trouble(), "") << "who was there before is served";

    served.clear();
    EXPECT_TRUE(eventually([&] { return RawClient{hub.port()}.greet(); })) << "there is room again";
    EXPECT_EQ(canary.trouble(), "");
    EXPECT_EQ(hub.stop(), "exit 0");
}

}  // namespace
}  // namespace gazellemq::test
