#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "Broker.hpp"
#include "FakeClient.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;

constexpr std::size_t kWindow = 1024 * 1024;
constexpr std::size_t kBatchPayload = 30'000;
constexpr std::size_t kBatch = kBatchPayload + test::kLoneOverhead;
/// What a connection may hold beside the window: one gathered write and a frame.
constexpr std::size_t kInSocket = 256 * 1024 + 32 * 1024;

/// Publishers are slowed by credit, subscribers are never sent more than theirs, and nobody hangs.
class BrokerCredit : public testing::Test {
  protected:
    static Limits limits() {
        Limits limits;
        limits.windowBytes = kWindow;
        limits.retainBytes = 0;
        return limits;
    }

    std::string const payload = std::string(kBatchPayload, 'x');
    FakeHub hub{limits()};
    FakeClient publisher{hub};
    FakeClient reader{hub};
};

TEST_F(BrokerCredit, without_subscribers_nothing_holds_a_publisher) {
    publisher.open(1, "t");
    EXPECT_EQ(publisher.publishAll(1, payload, 500), 500U);
    EXPECT_EQ(hub.pool().bytesInUse(), 0U);
}

TEST_F(BrokerCredit, a_subscriber_that_does_not_read_holds_credit_back_until_it_does) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    reader.reads = false;
    auto const before = publisher.publishAll(1, payload);
    EXPECT_FALSE(publisher.mayPublish(1));
    EXPECT_LE(before * kBatch, kWindow + kInSocket + kBatch);
    EXPECT_GE(before * kBatch, kWindow / 2);
    EXPECT_EQ(publisher.lastConfirm(1).sequence, before)
        << "what was accepted is confirmed, delivered or not";
    reader.reads = true;
    reader.read();
    hub.settle();
    EXPECT_TRUE(publisher.mayPublish(1));
    EXPECT_EQ(publisher.publishAll(1, payload, 300), 300U);
    EXPECT_EQ(reader.messages.size(), before + 300);
    EXPECT_FALSE(reader.brokenStream);
}

TEST_F(BrokerCredit, the_slowest_subscriber_by_name_sets_the_pace) {
    FakeClient slow{hub};
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    slow.subscribe(1, "t", 0);
    auto published = publisher.publishAll(1, payload);
    for (std::uint64_t credit = 0; credit < 5 * kWindow; credit += 64 * 1024) {
        slow.send(Credit{1, credit});
        published += publisher.publishAll(1, payload);
        ASSERT_LE(published * kBatch, credit + kWindow + kInSocket);
    }
    EXPECT_GE(published * kBatch, 5 * kWindow);
    EXPECT_EQ(reader.messages.size(), published);
}

TEST_F(BrokerCredit, a_message_larger_than_the_window_passes) {
    publisher.open(1, "t");
    reader.subscribe(1, "t", 1);
    for (std::size_t i = 1; i <= 5; ++i) {
        ASSERT_TRUE(publisher.mayPublish(1)) << "message " << i;
        publisher.publish(1, test::patternText(3 * kWindow, i));
        // Only as much credit as what came before has used up, and one byte.
        if (reader.messages.size() < i)
            reader.send(Credit{1, (i - 1) * (3 * kWindow + test::kLoneOverhead) + 1});
        ASSERT_EQ(reader.messages.size(), i);
        ASSERT_EQ(reader.messages.back().payload, test::patternText(3 * kWindow, i));
    }
    EXPECT_EQ(publisher.lastConfirm(1).sequence, 5U);
}

// B03: one lone message, and one that lands on or beside the frame's limit.
TEST_F(BrokerCredit, a_lone_message_of_any_size_arrives_without_further_traffic) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    constexpr auto kLimit = kMaxJoinedFrameBytes;
    for (std::size_t const size :
         {std::size_t{0}, std::size_t{1}, kLimit - 1, kLimit, kLimit + 1, 2 * kLimit, 8 * kWindow}) {
        for (std::size_t const before : {0U, 1U, 7U}) {
            std::vector<std::string> expected(before, "small");
            expected.push_back(test::patternText(size));
            reader.messages.clear();
            test::Bytes stream;
            for (auto const& one : expected)
                test::append(stream, test::publishFrame(1, test::makeBatch({one})));
            publisher.write(stream);
            ASSERT_EQ(reader.payloads(), expected) << size << " bytes behind " << before;
        }
    }
}

TEST_F(BrokerCredit, what_waits_is_joined_into_frames_of_at_most_32_kilobytes) {
    test::Random random{3};
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    std::vector<std::string> expected;
    while (publisher.mayPublish(1)) {
        std::vector<std::string> batch(test::pick(random, 1, 20));
        for (auto& one : batch)
            one = test::patternText(test::pick(random, 0, test::pick(random, 0, 5000)), expected.size());
        expected.insert(expected.end(), batch.begin(), batch.end());
        publisher.publish(1, batch);
    }
    reader.received.clear();
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(reader.payloads(), expected);
    std::size_t frames = 0;
    std::size_t bytes = 0;
    for (auto const& frame : reader.received) {
        if (frame.type != FrameType::deliver) continue;
        ++frames;
        bytes += frame.frameBytes;
        // A larger one must be a single batch; none of these batches is larger than 100 KB.
        EXPECT_LE(frame.frameBytes, 100'000U);
    }
    EXPECT_GT(bytes / frames, kMaxJoinedFrameBytes / 3) << "frames are filled";
    EXPECT_FALSE(reader.brokenStream) << "only whole batches";
}

TEST_F(BrokerCredit, many_publishers_share_the_window) {
    constexpr std::size_t kPublishers = 50;
    reader.subscribe(1, "t", 0);
    std::list<FakeClient> publishers;
    std::size_t published = 0;
    for (std::size_t i = 0; i < kPublishers; ++i) publishers.emplace_back(hub).open(1, "t");
    for (int round = 0; round < 5; ++round) {
        for (auto& one : publishers) published += one.publishAll(1, payload);
    }
    // Each may be promised the least share while the window has room, and go over it by a batch.
    EXPECT_LE(published * kBatch, kWindow + kPublishers * (64 * 1024 + kBatch));
    reader.send(Credit{1, FakeClient::kUnlimited});
    for (auto& one : publishers) {
        EXPECT_TRUE(one.mayPublish(1)) << "everybody gets credit again";
        published += one.publishAll(1, payload, 10);
    }
    EXPECT_EQ(reader.messages.size(), published);
}

TEST_F(BrokerCredit, idle_publishers_never_starve_a_busy_one) {
    std::list<FakeClient> idle;
    for (int i = 0; i < 100; ++i) idle.emplace_back(hub).open(1, "t");
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    std::size_t published = 0;
    for (std::uint64_t credit = 0; credit < 20 * kWindow; credit += kWindow / 4) {
        reader.send(Credit{1, credit});
        auto const more = publisher.publishAll(1, payload);
        ASSERT_TRUE(more > 0 || credit == 0 || published * kBatch > credit + kWindow / 2)
            << "at a credit of " << credit;
        published += more;
    }
    EXPECT_GE(published * kBatch, 19 * kWindow);
    reader.send(Credit{1, FakeClient::kUnlimited});
    EXPECT_EQ(reader.messages.size(), published);
    EXPECT_EQ(publisher.publishAll(1, payload, 100), 100U);
    for (auto& one : idle) EXPECT_TRUE(one.mayPublish(1)) << "and keep what they were promised";
}

TEST_F(BrokerCredit, while_memory_is_short_there_is_no_new_credit) {
    Limits small = limits();
    small.maxMemory = 8 * kWindow;
    FakeHub tight{small};
    FakeClient first{tight};
    first.open(1, "t");
    auto others = tight.pool().take(8 * kWindow);
    auto const published = first.publishAll(1, payload);
    EXPECT_LT(published * kBatch, kWindow + kBatch) << "what was promised holds";
    EXPECT_FALSE(first.mayPublish(1));
    FakeClient late{tight};
    EXPECT_EQ(late.open(1, "t"), Error::ok);
    EXPECT_FALSE(late.mayPublish(1));
    EXPECT_TRUE(tight.broker().wantsShortTick()) << "it looks again by itself";
    others.reset();
    tight.settle();
    EXPECT_TRUE(first.mayPublish(1));
    EXPECT_TRUE(late.mayPublish(1));
    EXPECT_EQ(first.publishAll(1, payload, 200), 200U);
    EXPECT_EQ(late.publishAll(1, payload, 200), 200U);
    tight.settle();
    EXPECT_FALSE(tight.broker().wantsShortTick()) << "and then rests";
}

TEST_F(BrokerCredit, promises_over_all_topics_fit_the_memory) {
    Limits small = limits();
    small.maxMemory = 4 * kWindow;
    FakeHub tight{small};
    FakeClient many{tight};
    std::uint64_t promised = 0;
    constexpr std::uint32_t kTopics = 100;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
        many.open(t, "t." + std::to_string(t));
        EXPECT_TRUE(many.mayPublish(t)) << "each topic can go on, if only by one batch";
        promised += many.lastConfirm(t).credit;
    }
    EXPECT_LE(promised, small.maxMemory + kTopics);
    for (std::uint32_t t = 0; t < kTopics; ++t) many.send(CloseTopic{t});
    many.open(kTopics, "late");
    EXPECT_GT(many.lastConfirm(kTopics).credit, kWindow / 2) << "what was promised to others is free again";
}

TEST_F(BrokerCredit, what_was_promised_still_fits_after_others_went_on_batch_by_batch) {
    Limits small = limits();
    small.maxMemory = 8 * kWindow;
    FakeHub tight{small};
    FakeClient many{tight};
    FakeClient stuck{tight};
    constexpr std::uint32_t kTopics = 40;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
        many.open(t, "t." + std::to_string(t));
        stuck.subscribe(t, "t." + std::to_string(t), 0);
    }
    // Those that came last have one batch at a time, those that came first their share.
    for (auto t = kTopics; t-- > 0;) many.publishAll(t, payload);
    EXPECT_GT(tight.pool().bytesInUse(), small.maxMemory / 2) << "the memory is used";
    EXPECT_LE(tight.pool().bytesInUse(), small.maxMemory - small.maxMemory / 8 + kTopics * kBatch);
}

TEST_F(BrokerCredit, a_connection_is_not_promised_more_than_max_unconfirmed_bytes_over_all_its_topics) {
    Limits small = limits();
    small.maxUnconfirmedBytes = 2 * kWindow;
    FakeHub tight{small};
    FakeClient many{tight};
    std::uint64_t promised = 0;
    constexpr std::uint32_t kTopics = 10;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
        many.open(t, "t." + std::to_string(t));
        EXPECT_TRUE(many.mayPublish(t)) << "each topic can go on, if only by one batch";
        promised += many.lastConfirm(t).credit;
    }
    EXPECT_LE(promised, small.maxUnconfirmedBytes + kTopics);
    EXPECT_GE(promised, small.maxUnconfirmedBytes);
    FakeClient other{tight};
    other.open(1, "t.other");
    EXPECT_GE(other.lastConfirm(1).credit, kWindow / 2) << "it is counted per connection";
    EXPECT_EQ(many.publishAll(kTopics - 1, payload, 100), 100U) << "one batch after the other";
    many.send(CloseTopic{0});
    many.publishAll(kTopics - 1, payload, 1);
    EXPECT_GT(many.lastConfirm(kTopics - 1).credit - many.sentBytes(kTopics - 1), kWindow / 2) << "what a closed topic had is free again";
}

TEST_F(BrokerCredit, a_publisher_that_waits_for_memory_is_told_once) {
    Limits small = limits();
    small.maxMemory = 8 * kWindow;
    FakeHub tight{small};
    FakeClient first{tight};
    first.open(1, "t");
    auto others = tight.pool().take(8 * kWindow);
    first.publishAll(1, payload);
    EXPECT_FALSE(first.mayPublish(1));
    tight.settle();
    auto const notices = first.all<Notice>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].handle, 1U);
    EXPECT_EQ(notices[0].code, Error::hubMemoryFull);
    EXPECT_EQ(notices[0].sentence, describe(Error::hubMemoryFull));
    others.reset();
    tight.settle();
    EXPECT_TRUE(first.mayPublish(1));
    EXPECT_EQ(first.all<Notice>().size(), 1U);
}

TEST_F(BrokerCredit, a_publisher_that_waits_for_its_own_topic_is_told_nothing) {
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    publisher.publishAll(1, payload);
    EXPECT_FALSE(publisher.mayPublish(1));
    EXPECT_TRUE(publisher.all<Notice>().empty());
}

TEST_F(BrokerCredit, what_comes_when_memory_is_full_ends_its_connection_and_is_not_kept) {
    Limits small = limits();
    small.maxMemory = 8 * kWindow;
    FakeHub tight{small};
    FakeClient first{tight};
    FakeClient slow{tight};
    first.open(1, "t");
    first.open(2, "unread");
    slow.subscribe(1, "t", 0);
    auto const others = tight.pool().take(16 * kWindow);
    auto const before = tight.broker().counters().bytesIn;
    first.publish(2, payload);
    EXPECT_EQ(first.goodbye(), Error::ok) << "nobody reads it, so it takes no memory";
    first.publish(1, payload);
    EXPECT_EQ(first.goodbye(), Error::hubMemoryFull);
    EXPECT_EQ(tight.broker().counters().bytesIn, before + kBatch) << "only what nobody reads was taken";
    EXPECT_EQ(first.lastConfirm(1).sequence, 0U);
}

TEST_F(BrokerCredit, confirms_are_gathered_and_none_is_forgotten) {
    publisher.open(1, "t");
    auto stream = test::Bytes{};
    for (std::uint64_t i = 1; i <= 1000; ++i)
        test::append(stream, test::publishFrame(1, test::makeBatch({"x"}, i)));
    auto const before = publisher.all<Confirm>().size();
    publisher.write(stream);
    EXPECT_EQ(publisher.lastConfirm(1).sequence, 1000U);
    EXPECT_LE(publisher.all<Confirm>().size() - before, 10U);
}

/// Random publishers, batch sizes, readers, credits and pauses: everything arrives once and in order, and
/// everybody can go on.
TEST_F(BrokerCredit, nothing_hangs_or_is_lost_in_a_random_run) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        SCOPED_TRACE(seed);
        test::Random random{seed};
        Limits small;
        small.windowBytes = 64 * 1024 * test::pick(random, 1, 8);
        FakeHub busy{small, 1024 * test::pick(random, 1, 128)};
        std::list<FakeClient> publishers;
        std::list<FakeClient> readers;
        for (auto n = test::pick(random, 1, 4); n > 0; --n) publishers.emplace_back(busy).open(1, "t");
        for (auto n = test::pick(random, 1, 3); n > 0; --n) readers.emplace_back(busy).subscribe(1, "t", 0);
        std::vector<std::uint64_t> credit(readers.size());
        std::uint64_t published = 0;
        for (int step = 0; step < 400; ++step) {
            for (auto& one : publishers) {
                auto const size = test::pick(random, 0, test::pick(random, 0, 100) == 0 ? 400'000 : 20'000);
                published += one.publishAll(1, test::patternText(size), test::pick(random, 0, 5));
            }
            std::size_t r = 0;
            for (auto& one : readers) {
                one.reads = test::pick(random, 0, 3) > 0;
                one.read(test::pick(random, 0, 100'000));
                one.send(Credit{1, credit[r++] += test::pick(random, 0, 60'000)});
            }
        }
        for (auto& one : readers) {
            one.reads = true;
            one.read();
            one.send(Credit{1, FakeClient::kUnlimited});
        }
        busy.settle();
        for (auto& one : publishers) {
            EXPECT_TRUE(one.mayPublish(1));
            EXPECT_EQ(one.goodbye(), Error::ok);
        }
        for (auto const& one : readers) {
            EXPECT_FALSE(one.brokenStream);
            ASSERT_EQ(one.messages.size(), published);
            for (std::size_t i = 0; i < published; ++i) ASSERT_EQ(one.messages[i].offset, i);
        }
    }
}

}  // namespace
}  // namespace gazellemq::hub
