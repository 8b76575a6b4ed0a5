#include "InTopics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Batches.hpp"

namespace gazellemq::client {
namespace {

using namespace protocol;
using namespace std::chrono_literals;
using testing::ElementsAre;
using Now = std::chrono::steady_clock::time_point;

constexpr std::uint64_t kWindow = 1000;

/// What was encoded: the frames' types, and the last frame decoded.
class InTopicsTest : public testing::Test {
  protected:
    std::vector<FrameType> types() const {
        std::vector<FrameType> all;
        for (ByteView rest = frames; !rest.empty();) {
            all.push_back(static_cast<FrameType>(load<std::uint8_t>(rest.data() + 4)));
            rest = rest.subspan(kFrameHeaderBytes + load<std::uint32_t>(rest.data()));
        }
        return all;
    }
    template <typename F>
    F only() const {
        EXPECT_EQ(types(), std::vector{F::kType});
        return decode<F>(ByteView{frames}.subspan(kFrameHeaderBytes)).value();
    }
    template <typename F>
    F take() {
        auto const frame = only<F>();
        kept.push_back(std::move(frames));
        frames.clear();
        return frame;
    }
    InTopics::Ptr linked(std::string const& pattern) {
        auto const topic = topics.add(pattern, {});
        topics.subscribe(*topic, frames);
        frames.clear();
        return topic;
    }
    Reply reply(std::uint32_t id, Error code) { return {id, code, "because"}; }

    InTopics topics{kWindow};
    std::vector<std::byte> frames;
    std::vector<std::vector<std::byte>> kept;  // texts of decoded frames point into these
    Now const now{1h};
};

TEST_F(InTopicsTest, subscribes_everything_in_the_order_of_its_making_when_the_link_comes_up) {
    auto const a = topics.add("a", {});
    auto const b = topics.add("b.*", {});
    auto const again = topics.add("a", {});
    EXPECT_TRUE(frames.empty());
    topics.linkUp(frames);
    EXPECT_THAT(types(), ElementsAre(FrameType::subscribe, FrameType::subscribe, FrameType::subscribe));
    auto const first = decode<Subscribe>(ByteView{frames}.subspan(kFrameHeaderBytes)).value();
    EXPECT_EQ(first.pattern, "a");
    EXPECT_EQ(first.subscription, a->id);
    EXPECT_EQ(first.requestId, a->id);
    EXPECT_EQ(first.credit, kWindow);
    EXPECT_LT(a->id, b->id);
    EXPECT_LT(b->id, again->id);
}

TEST_F(InTopicsTest, finds_by_id_and_all_of_exactly_one_pattern) {
    auto const a = topics.add("a", {});
    auto const b = topics.add("a.b", {});
    auto const again = topics.add("a", {});
    EXPECT_EQ(topics.find(b->id), b);
    EXPECT_EQ(topics.find(99), nullptr);
    EXPECT_THAT(topics.findAll("a"), testing::UnorderedElementsAre(a, again));
    EXPECT_TRUE(topics.findAll("*").empty());
    EXPECT_THAT(topics.all(), ElementsAre(a, b, again));
}

TEST_F(InTopicsTest, tells_the_hub_of_an_end_only_while_the_link_is_up) {
    auto const a = linked("a");
    auto const b = linked("b");
    topics.remove(*a, true, frames);
    EXPECT_EQ(take<Unsubscribe>().subscription, a->id);
    EXPECT_FALSE(a->active);
    topics.remove(*b, false, frames);
    EXPECT_TRUE(frames.empty());
    EXPECT_TRUE(topics.all().empty());
}

TEST_F(InTopicsTest, never_gives_an_id_twice) {
    auto const a = linked("a");
    topics.remove(*a, true, frames);
    EXPECT_NE(topics.add("a", {})->id, a->id);
}

TEST_F(InTopicsTest, notes_the_answers_and_returns_what_was_refused) {
    auto const good = linked("good");
    auto const bad = linked("bad");
    EXPECT_EQ(topics.onReply(reply(good->id, Error::ok)), nullptr);
    EXPECT_EQ(good->answer, InTopic::Answer::accepted);
    EXPECT_EQ(topics.onReply(reply(bad->id, Error::limitReached)), bad);
    EXPECT_EQ(bad->answer, InTopic::Answer::refused);
    EXPECT_EQ(bad->refusal, Error::limitReached);
    EXPECT_EQ(topics.onReply(reply(77, Error::limitReached)), nullptr) << "an answer to an UNSUBSCRIBE";
    EXPECT_EQ(topics.onReply(reply(good->id, Error::notSubscribed)), nullptr) << "only the first answer counts";
}

TEST_F(InTopicsTest, forgets_answers_credit_and_names_with_the_link) {
    auto const topic = linked("a");
    topics.onReply(reply(topic->id, Error::ok));
    topic->names[5] = std::make_shared<std::string const>("a");
    InTopics::countReceived(*topic, 300);
    topics.linkDown();
    EXPECT_EQ(topic->answer, InTopic::Answer::pending);
    EXPECT_TRUE(topic->names.empty());
    topics.linkUp(frames);
    EXPECT_EQ(take<Subscribe>().credit, kWindow - 300) << "what still waits here takes its room";
}

TEST_F(InTopicsTest, gives_a_new_link_no_credit_while_the_window_is_full_and_the_rest_later) {
    auto const topic = linked("a");
    InTopics::countReceived(*topic, kWindow + 500);  // a sender may go over by one batch
    topics.linkDown();
    topics.linkUp(frames);
    EXPECT_EQ(take<Subscribe>().credit, 0U);
    EXPECT_FALSE(topics.countHandled(*topic, 400, true, now, frames)) << "still more than the window";
    EXPECT_TRUE(topics.countHandled(*topic, 400, true, now, frames));
    EXPECT_EQ(take<Credit>().credit, 300U);
    EXPECT_TRUE(topics.countHandled(*topic, 700, true, now, frames));
    EXPECT_EQ(take<Credit>().credit, kWindow);
}

TEST_F(InTopicsTest, tells_credit_in_quarters_of_the_window) {
    auto const topic = linked("a");
    topic->toldAt = now;
    for (int i = 0; i < 4; ++i) InTopics::countReceived(*topic, 100);
    EXPECT_FALSE(topics.countHandled(*topic, 100, true, now, frames));
    EXPECT_FALSE(topics.countHandled(*topic, 100, true, now, frames));
    EXPECT_TRUE(topics.countHandled(*topic, 100, true, now, frames));
    auto const credit = take<Credit>();
    EXPECT_EQ(credit.subscription, topic->id);
    EXPECT_EQ(credit.credit, kWindow + 300);
    EXPECT_FALSE(topics.countHandled(*topic, 100, true, now, frames));
}

TEST_F(InTopicsTest, tells_less_than_a_quarter_when_the_last_time_is_long_ago) {
    auto const topic = linked("a");
    topic->toldAt = now;
    for (int i = 0; i < 4; ++i) InTopics::countReceived(*topic, 10);
    EXPECT_FALSE(topics.countHandled(*topic, 10, true, now + 400ms, frames));
    EXPECT_TRUE(topics.countHandled(*topic, 10, true, now + 600ms, frames));
    EXPECT_EQ(take<Credit>().credit, kWindow + 20);
    EXPECT_FALSE(topics.countHandled(*topic, 10, true, now + 700ms, frames));
    EXPECT_TRUE(topics.countHandled(*topic, 10, true, now + 2h, frames));
}

TEST_F(InTopicsTest, never_tells_the_same_credit_twice) {
    auto const topic = linked("a");
    InTopics::countReceived(*topic, kWindow + 500);
    EXPECT_TRUE(topics.countHandled(*topic, 500, true, now, frames));
    take<Credit>();
    EXPECT_FALSE(topics.countHandled(*topic, 0, true, now + 1h, frames));
}

TEST_F(InTopicsTest, says_nothing_without_a_link_and_for_what_was_ended) {
    auto const topic = linked("a");
    InTopics::countReceived(*topic, 900);
    EXPECT_FALSE(topics.countHandled(*topic, 300, false, now, frames));
    topics.remove(*topic, false, frames);
    EXPECT_FALSE(topics.countHandled(*topic, 600, true, now, frames));
    EXPECT_EQ(topic->queued, 0U);
    EXPECT_TRUE(frames.empty());
}

TEST_F(InTopicsTest, tells_progress_by_repeating_the_credit_of_what_waits) {
    auto const waits = linked("a");
    linked("b");  // nothing waits in it
    auto const pulls = topics.add("c", {});
    auto const calls = topics.add("d", SubscriberClient::OnString{[](std::string&&) {}});
    topics.linkUp(frames);
    frames.clear();
    for (auto const& topic : {waits, pulls, calls}) InTopics::countReceived(*topic, 100);
    topics.tellProgress(false, frames);
    auto const credit = take<Credit>();
    EXPECT_EQ(credit.subscription, calls->id);
    EXPECT_EQ(credit.credit, kWindow) << "not more than before";
    topics.tellProgress(true, frames);
    EXPECT_THAT(types(), ElementsAre(FrameType::credit, FrameType::credit));
    frames.clear();
    EXPECT_FALSE(topics.countHandled(*calls, 100, false, now, frames));
    topics.tellProgress(false, frames);
    EXPECT_TRUE(frames.empty());
}

TEST_F(InTopicsTest, a_changed_window_holds_for_the_next_link) {
    topics.add("a", {});
    topics.setWindow(5000);
    topics.linkUp(frames);
    EXPECT_EQ(take<Subscribe>().credit, 5000U);
}

TEST_F(InTopicsTest, credit_over_a_long_stream_never_leaves_more_than_the_window_waiting) {
    auto const topic = linked("a");
    test::Random random{11};
    std::uint64_t credit = kWindow, sent = 0, waiting = 0;
    auto time = now;
    for (int i = 0; i < 20'000; ++i) {
        time += std::chrono::milliseconds{test::pick(random, 0, 20)};
        auto const bytes = test::pick(random, 1, 200);
        if (sent < credit) {  // as the hub: one batch over is allowed
            sent += bytes;
            waiting += bytes;
            InTopics::countReceived(*topic, bytes);
        } else {
            ASSERT_GT(waiting, 0U) << "stuck: no credit, and nothing waits that could bring some";
            auto const part = std::min<std::uint64_t>(waiting, bytes);
            waiting -= part;
            if (topics.countHandled(*topic, part, true, time, frames)) {
                auto const told = take<Credit>().credit;
                ASSERT_GT(told, credit);
                credit = told;
            }
        }
        ASSERT_LT(waiting, kWindow + 200);
    }
}

}  // namespace
}  // namespace gazellemq::client
