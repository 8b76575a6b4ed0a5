#include "TimedContent.hpp"

#include <gtest/gtest.h>

#include "Verifier.hpp"

namespace gazellemq::perf {
namespace {

TEST(TimedContent, carries_the_time_and_what_a_verifier_checks) {
    Workload const workload{.messages = 3, .size = 86};
    TimedContent const content{workload.size};
    Verifier verifier{TimedContent::ofRests(workload)};
    for (std::uint64_t sequence = 0; sequence < workload.messages; ++sequence) {
        std::string message(content.size(), '\0');
        content.write(sequence, static_cast<std::int64_t>(sequence) - 1, message.data());
        EXPECT_EQ(TimedContent::dueNsOf(message), static_cast<std::int64_t>(sequence) - 1);
        verifier.accept(0, TimedContent::restOf(message));
    }
    EXPECT_TRUE(verifier.complete());
    EXPECT_TRUE(verifier.verdict().clean());
}

TEST(TimedContent, of_the_least_size_still_has_its_sequence) {
    TimedContent const content{TimedContent::kMinBytes};
    std::string message(TimedContent::kMinBytes, '\0');
    content.write(7, 1, message.data());
    EXPECT_EQ(MessageContent::headerOf(TimedContent::restOf(message)).sequence, 7U);
}

}  // namespace
}  // namespace gazellemq::perf
