#include "StatisticsLine.hpp"

#include <gtest/gtest.h>

namespace gazellemq::hub {
namespace {

TEST(StatisticsLine, has_every_number_with_its_name) {
    ServerStats stats;
    stats.connections = 1;
    stats.subscriptions = 2;
    stats.topics = 3;
    stats.bufferBytes = 4;
    stats.messagesIn = 5;
    stats.messagesOut = 6;
    stats.messagesDropped = 7;
    stats.bytesIn = 8;
    stats.bytesOut = UINT64_MAX;
    EXPECT_EQ(statisticsLine(stats),
              "statistics: connections=1 subscriptions=2 topics=3 buffer_bytes=4 messages_in=5 messages_out=6 messages_dropped=7 "
              "bytes_in=8 bytes_out=18446744073709551615");
}

}  // namespace
}  // namespace gazellemq::hub
