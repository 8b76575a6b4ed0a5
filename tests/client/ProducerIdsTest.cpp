#include <gtest/gtest.h>

#include "ControlFrames.hpp"
#include "ProducerIds.hpp"

namespace gazellemq::client {
namespace {

std::uint64_t processOf(std::uint64_t id) { return id >> protocol::kObjectBits << protocol::kObjectBits; }

TEST(ProducerIds, differ_and_have_those_bits_in_common_that_are_the_process) {
    auto const first = ProducerIds::next();
    auto const second = ProducerIds::next();
    EXPECT_NE(first, second);
    EXPECT_NE(ProducerIds::ofProcess(), 0U);
    EXPECT_EQ(processOf(first), ProducerIds::ofProcess());
    EXPECT_EQ(processOf(second), ProducerIds::ofProcess());
}

}  // namespace
}  // namespace gazellemq::client
