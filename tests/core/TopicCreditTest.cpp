#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "FakeReader.hpp"
#include "Topic.hpp"

namespace gazellemq::hub {
namespace {

using test::FakeReader;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kKilo = 1024;
constexpr std::size_t kMinShare = 64 * kKilo;

/// The share of the window that publishers are promised.
class TopicCredit : public testing::Test {
  protected:
    static Limits megabyteWindow() {
        Limits limits;
        limits.windowBytes = 1024 * kKilo;
        return limits;
    }

    Publication& publisher() {
        auto& publication = publications.emplace_back(Publication{&client.session(), &topic, 1});
        topic.attach(publication);
        return publication;
    }

    void publish(Publication& publication, std::size_t bytes) {
        auto const batch = test::makeBatch({std::string(bytes - test::kLoneOverhead, 'x')});
        auto buffer = hub.pool().take(batch.size());
        std::copy(batch.begin(), batch.end(), buffer->data());
        topic.countReceived(publication, batch.size());
        topic.partition(0).append({buffer, {buffer->data(), batch.size()}, 1}, {});
    }

    Limits const limits = megabyteWindow();
    test::FakeHub hub;
    test::FakeClient client{hub};
    Topic topic{7, "t", TopicSettings::defaults(limits)};
    std::deque<Publication> publications;
};

TEST_F(TopicCredit, one_publisher_is_promised_its_share) {
    auto& only = publisher();
    EXPECT_TRUE(topic.extendCredit(only, false));
    EXPECT_EQ(only.credit, topic.share());
    EXPECT_LE(only.credit, limits.windowBytes);
    EXPECT_FALSE(topic.extendCredit(only, false)) << "there is nothing to add";
}

TEST_F(TopicCredit, shares_shrink_with_the_number_of_publishers) {
    publisher();
    auto const alone = topic.share();
    for (int i = 0; i < 7; ++i) publisher();
    EXPECT_EQ(topic.share(), limits.windowBytes / 8);
    EXPECT_LT(topic.share(), alone);
    for (int i = 0; i < 1000; ++i) publisher();
    EXPECT_EQ(topic.share(), kMinShare) << "but never below what keeps a link busy";
}

TEST_F(TopicCredit, all_promises_together_fit_the_window) {
    std::uint64_t promised = 0;
    for (int i = 0; i < 16; ++i) {
        auto& one = publisher();
        topic.extendCredit(one, false);
        promised += one.credit;
    }
    EXPECT_LE(promised, limits.windowBytes + 15 * kMinShare)
        << "the first took a large share, the others the least";
}

TEST_F(TopicCredit, what_readers_do_not_take_is_not_promised_again) {
    FakeReader slow{client, topic, true};
    auto& only = publisher();
    std::uint64_t sent = 0;
    while (topic.extendCredit(only, false)) {
        publish(only, 32 * kKilo);
        sent += 32 * kKilo;
        ASSERT_LE(sent, limits.windowBytes) << "the credit never ends";
        while (only.unused() > 0) {
            publish(only, 32 * kKilo);
            sent += 32 * kKilo;
        }
    }
    EXPECT_TRUE(only.starved);
    EXPECT_TRUE(topic.hasStarved());
    EXPECT_GE(sent, limits.windowBytes - 64 * kKilo);
    EXPECT_LE(topic.partition(0).log().blockedBytes(), limits.windowBytes + 32 * kKilo);
}

TEST_F(TopicCredit, is_given_again_when_an_eighth_of_the_window_is_free) {
    FakeReader slow{client, topic, true};
    auto& only = publisher();
    for (std::size_t i = 0; i < 32; ++i) publish(only, limits.windowBytes / 32);
    EXPECT_FALSE(topic.extendCredit(only, false));
    for (int i = 0; i < 3; ++i) {
        topic.partition(0).advance(slow.cursor());
        EXPECT_THAT(topic.takeFed(false), IsEmpty());
    }
    topic.partition(0).advance(slow.cursor());
    EXPECT_THAT(topic.takeFed(false), ElementsAre(&only));
    EXPECT_FALSE(topic.hasStarved());
    EXPECT_TRUE(topic.extendCredit(only, false));
}

TEST_F(TopicCredit, counts_from_what_was_sent_when_a_batch_went_over_it) {
    auto& only = publisher();
    topic.extendCredit(only, false);
    publish(only, 3 * limits.windowBytes);
    EXPECT_EQ(only.unused(), 0U);
    EXPECT_TRUE(topic.extendCredit(only, false));
    EXPECT_GT(only.credit, only.received) << "otherwise it could never send again";
}

TEST_F(TopicCredit, of_a_leaving_publisher_goes_to_the_others) {
    auto& first = publisher();
    topic.extendCredit(first, false);
    auto& second = publisher();
    topic.extendCredit(second, false);
    EXPECT_EQ(second.credit, kMinShare) << "the first has all the rest";
    topic.detach(first);
    EXPECT_TRUE(topic.extendCredit(second, false));
    EXPECT_EQ(second.credit, topic.share());
}

TEST_F(TopicCredit, unused_by_many_idle_publishers_never_starves_another) {
    for (int i = 0; i < 100; ++i) topic.extendCredit(publisher(), false);
    auto& busy = publisher();
    for (int i = 0; i < 100; ++i) {
        topic.extendCredit(busy, false);
        ASSERT_GT(busy.unused(), 0U) << "after " << i << " batches";
        while (busy.unused() > 0) publish(busy, 32 * kKilo);
    }
}

TEST_F(TopicCredit, is_not_given_while_memory_is_short) {
    auto& only = publisher();
    EXPECT_FALSE(topic.extendCredit(only, true));
    EXPECT_TRUE(only.starved);
    EXPECT_THAT(topic.takeFed(true), IsEmpty());
    EXPECT_THAT(topic.takeFed(false), ElementsAre(&only));
    EXPECT_TRUE(topic.extendCredit(only, false));
}

TEST_F(TopicCredit, a_starved_publisher_that_leaves_is_forgotten) {
    auto& only = publisher();
    topic.extendCredit(only, true);
    topic.detach(only);
    EXPECT_FALSE(topic.hasStarved());
    EXPECT_THAT(topic.takeFed(false), IsEmpty());
}

}  // namespace
}  // namespace gazellemq::hub
