#include "HubHoldings.hpp"

#include <gtest/gtest.h>

namespace gazellemq::perf {
namespace {

TEST(HubHoldings, are_read_from_the_last_line_of_statistics) {
    EXPECT_EQ(holdingsIn("[info] statistics: connections=9 subscriptions=9 topics=9 buffer_bytes=9 messages_in=9\n"
                         "[info] client 'a' disconnected\n"
                         "[info] statistics: connections=1 subscriptions=2 topics=3 buffer_bytes=4 messages_in=5\n"
                         "[info] something else: topics=7\n"),
              (HubHoldings{1, 2, 3, 4}));
}

TEST(HubHoldings, are_nothing_without_a_whole_line) {
    EXPECT_EQ(holdingsIn(""), std::nullopt);
    EXPECT_EQ(holdingsIn("ready on tcp://127.0.0.1:1 topics=7\n"), std::nullopt);
    EXPECT_EQ(holdingsIn("statistics: connections=1 subscriptions=2 topics=3"), std::nullopt);
    EXPECT_EQ(holdingsIn("statistics: connections=x subscriptions=2 topics=3 buffer_bytes=4\n"), std::nullopt);
}

}  // namespace
}  // namespace gazellemq::perf
