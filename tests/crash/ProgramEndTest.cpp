#include <gtest/gtest.h>

#include "HubProcess.hpp"
#include "Received.hpp"

/// B14 (a), from one process through a second to a third: what a program published right before it ended arrives.
namespace gazellemq::test {
namespace {

class ProgramEnd : public testing::TestWithParam<char const*> {};

TEST_P(ProgramEnd, loses_nothing_that_was_published) {
    HubProcess hub;
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", hub.url());
    ASSERT_EQ(subscriber.subscribe("t"), Error::ok);
    std::vector<std::string> expected;
    for (auto const count : {1, 100, 50'000}) {
        for (int i = 0; i < count; ++i) expected.push_back("message " + std::to_string(i));
        ChildProcess program{{.words = {GAZELLEMQ_EXIT_PROGRAM, GetParam(), std::to_string(hub.port()), std::to_string(count)}}};
        EXPECT_EQ(program.waitForEnd(), "exit 0") << program.errors();
        ASSERT_TRUE(subscriber.messages.waitFor(expected.size())) << subscriber.messages.size() << " of " << expected.size();
        EXPECT_TRUE(subscriber.payloads() == expected);
    }
}

INSTANTIATE_TEST_SUITE_P(By, ProgramEnd, testing::Values("return", "exit"), [](auto const& way) { return std::string{way.param}; });

}  // namespace
}  // namespace gazellemq::test
