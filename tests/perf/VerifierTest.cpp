#include "Verifier.hpp"

#include <gtest/gtest.h>

namespace gazellemq::perf {
namespace {

/// Two publishers with ten messages each over two topics: message n of a publisher belongs to topic n % 2.
constexpr Workload kWorkload{.messages = 20, .size = 40, .publishers = 2, .subscribers = 1, .topics = 2};

class VerifierTest : public testing::Test {
  protected:
    std::string make(std::uint64_t publisher, std::uint64_t sequence) const {
        std::string message(kWorkload.size, '\0');
        content_.write({.sequence = sequence, .publisher = publisher}, message.data());
        return message;
    }
    void give(std::uint64_t publisher, std::uint64_t sequence) {
        verifier_.accept(sequence % kWorkload.topics, make(publisher, sequence));
    }
    void giveRange(std::uint64_t publisher, std::uint64_t first, std::uint64_t end) {
        for (auto i = first; i < end; ++i) give(publisher, i);
    }
    void expectVerdict(Verdict const& expected) const {
        auto const found = verifier_.verdict();
        EXPECT_EQ(found.lost, expected.lost);
        EXPECT_EQ(found.duplicated, expected.duplicated);
        EXPECT_EQ(found.outOfOrder, expected.outOfOrder);
        EXPECT_EQ(found.corrupt, expected.corrupt);
    }

    MessageContent content_{kWorkload.size};
    Verifier verifier_{kWorkload};
};

TEST_F(VerifierTest, all_messages_in_order_are_complete_and_clean) {
    giveRange(0, 0, 10);
    EXPECT_FALSE(verifier_.complete());
    giveRange(1, 0, 10);
    EXPECT_TRUE(verifier_.complete());
    EXPECT_TRUE(verifier_.verdict().clean());
}

TEST_F(VerifierTest, order_counts_only_within_a_publisher_and_a_topic) {
    for (std::uint64_t i = 1; i < 10; i += 2) give(1, i);
    for (std::uint64_t i = 0; i < 10; i += 2) give(1, i);
    giveRange(0, 0, 10);
    EXPECT_TRUE(verifier_.verdict().clean());
}

TEST_F(VerifierTest, what_did_not_come_is_lost) {
    giveRange(0, 0, 4);
    giveRange(0, 7, 10);
    giveRange(1, 0, 9);
    EXPECT_FALSE(verifier_.complete());
    expectVerdict({.lost = 4});
}

TEST_F(VerifierTest, a_second_copy_is_a_duplicate_also_after_the_end) {
    giveRange(0, 0, 10);
    giveRange(1, 0, 10);
    give(0, 3);
    give(1, 9);
    expectVerdict({.duplicated = 2});
}

TEST_F(VerifierTest, a_message_behind_a_later_one_is_out_of_order_not_lost) {
    give(0, 2);
    give(0, 0);
    giveRange(0, 3, 10);
    give(0, 1);
    giveRange(1, 0, 10);
    EXPECT_TRUE(verifier_.complete());
    expectVerdict({.outOfOrder = 2});
}

TEST_F(VerifierTest, a_changed_byte_anywhere_is_found) {
    for (std::size_t at = 0; at < kWorkload.size; ++at) {
        Verifier verifier{kWorkload};
        auto message = make(1, 0);
        message[at] = static_cast<char>(message[at] ^ 0x40);
        verifier.accept(0, message);
        EXPECT_EQ(verifier.verdict().corrupt, 1U) << "byte " << at;
    }
}

TEST_F(VerifierTest, a_wrong_size_is_corrupt) {
    verifier_.accept(0, make(0, 0).substr(1));
    verifier_.accept(0, make(0, 0) + "x");
    verifier_.accept(0, make(0, 0).substr(0, 3));
    expectVerdict({.lost = 20, .corrupt = 3});
}

TEST_F(VerifierTest, a_body_under_another_header_is_corrupt) {
    auto message = make(0, 0);
    auto const other = make(0, 2);
    message.replace(MessageContent::kMinBytes, std::string::npos, other.substr(MessageContent::kMinBytes));
    verifier_.accept(0, message);
    expectVerdict({.lost = 20, .corrupt = 1});
}

TEST_F(VerifierTest, a_message_on_the_wrong_topic_is_corrupt) {
    verifier_.accept(1, make(0, 0));
    expectVerdict({.lost = 20, .corrupt = 1});
}

TEST_F(VerifierTest, a_sequence_that_was_never_sent_is_corrupt) {
    verifier_.accept(0, make(0, 10));
    verifier_.accept(0, make(2, 0));
    expectVerdict({.lost = 20, .corrupt = 2});
}

}  // namespace
}  // namespace gazellemq::perf
