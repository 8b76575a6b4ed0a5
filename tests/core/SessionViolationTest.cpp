#include <gtest/gtest.h>

#include <functional>

#include "FakeClient.hpp"
#include "Session.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::Bytes;
using test::FakeClient;
using test::FakeHub;
using test::makeBatch;
using test::makeFrame;
using test::publishFrame;

/// What a client may not do: it is told why, nothing more is taken from it, and nobody else notices.
class SessionViolation : public testing::Test {
  protected:
    void expectViolation(FakeClient& client, std::string const& what) {
        EXPECT_EQ(client.goodbye(), Error::protocolViolation) << what;
        EXPECT_FALSE(client.last<Goodbye>() && client.last<Goodbye>()->reason.empty()) << what;
        EXPECT_TRUE(client.session().closing()) << what;
        EXPECT_TRUE(client.session().finished()) << what;
        EXPECT_EQ(client.session().endCode(), Error::protocolViolation) << what;
        EXPECT_FALSE(client.send(Ping{1})) << what << ": takes more";
        EXPECT_EQ(hub.broker().counters().violations, ++violations) << what;
    }

    void expectViolation(Bytes const& bytes, std::string const& what) {
        FakeClient client{hub};
        client.open(1, "t");
        client.subscribe(1, "t");
        client.write(bytes);
        expectViolation(client, what);
    }

    FakeHub hub;
    std::uint64_t violations = 0;
};

TEST_F(SessionViolation, the_first_frame_is_not_hello) {
    FakeClient client{hub, false};
    client.send(Ping{1});
    expectViolation(client, "PING before HELLO");
}

TEST_F(SessionViolation, a_second_hello) { expectViolation(test::encoded(Hello{}), "HELLO"); }

TEST_F(SessionViolation, a_frame_type_that_nobody_or_only_the_hub_sends) {
    for (int type = 0; type <= 255; ++type) {
        switch (static_cast<FrameType>(type)) {
            case FrameType::openTopic:
            case FrameType::publish:
            case FrameType::closeTopic:
            case FrameType::flush:
            case FrameType::subscribe:
            case FrameType::unsubscribe:
            case FrameType::credit:
            case FrameType::adminRequest:
            case FrameType::ping:
            case FrameType::pong:
            case FrameType::drain:
            case FrameType::drainAck:
            case FrameType::goodbye:
                continue;
            default:
                expectViolation(makeFrame(static_cast<FrameType>(type), Bytes(64)),
                                "type " + std::to_string(type));
        }
    }
}

TEST_F(SessionViolation, a_frame_that_is_too_short) {
    auto const truncations = [&](Bytes const& frame, std::string const& name) {
        auto const body = ByteView{frame}.subspan(kFrameHeaderBytes);
        for (std::size_t size = 0; size < body.size(); ++size) {
            expectViolation(makeFrame(static_cast<FrameType>(frame[4]), body.first(size)),
                            name + " of " + std::to_string(size));
        }
    };
    truncations(test::encoded(OpenTopic{1, 2, "ab"}), "OPEN_TOPIC");
    truncations(test::encoded(CloseTopic{1}), "CLOSE_TOPIC");
    truncations(test::encoded(Subscribe{1, 2, 3, "ab"}), "SUBSCRIBE");
    truncations(test::encoded(Unsubscribe{1, 2}), "UNSUBSCRIBE");
    truncations(test::encoded(Credit{1, 2}), "CREDIT");
    truncations(test::encoded(Ping{1}), "PING");
    truncations(test::encoded(Pong{1}), "PONG");
    truncations(test::encoded(Goodbye{Error::ok, "ab"}), "GOODBYE");
    truncations(publishFrame(1, makeBatch({"ab"})), "PUBLISH");
    FakeClient client{hub, false};
    client.write(makeFrame(FrameType::hello, Bytes(10)));
    expectViolation(client, "HELLO");
}

TEST_F(SessionViolation, a_handle_or_subscription_that_is_taken) {
    expectViolation(test::encoded(OpenTopic{1, 1, "other"}), "OPEN_TOPIC");
    expectViolation(test::encoded(Subscribe{1, 1, 0, "other"}), "SUBSCRIBE");
}

TEST_F(SessionViolation, a_handle_that_was_not_opened) {
    expectViolation(publishFrame(2, makeBatch({"x"})), "PUBLISH");
    expectViolation(test::encoded(CloseTopic{2}), "CLOSE_TOPIC");
}

TEST_F(SessionViolation, a_handle_that_was_closed) {
    auto bytes = test::encoded(CloseTopic{1});
    test::append(bytes, publishFrame(1, makeBatch({"x"})));
    expectViolation(bytes, "PUBLISH");
}

TEST_F(SessionViolation, a_publish_of_anything_but_one_batch) {
    auto two = makeBatch({"a"});
    test::append(two, makeBatch({"b"}, 2));
    expectViolation(publishFrame(1, two), "two batches");
    auto longer = makeBatch({"a"});
    longer.push_back({});
    expectViolation(publishFrame(1, longer), "a byte too many");
    expectViolation(publishFrame(1, {}), "no batch");
    auto empty = Bytes(BatchHeader::kBytes);
    sealBatch(empty.data(), 0, 0, 1, 1);
    expectViolation(publishFrame(1, empty), "a batch without messages");
    auto flagged = makeBatch({"a"});
    store(&flagged[36], std::uint16_t{1});
    expectViolation(publishFrame(1, flagged), "an unknown flag");
}

TEST_F(SessionViolation, a_publish_without_credit) {
    FakeClient reader{hub};
    reader.subscribe(1, "t", 0);
    FakeClient client{hub};
    client.open(1, "t");
    client.publishAll(1, std::string(30'000, 'x'));
    EXPECT_EQ(client.goodbye(), Error::ok);
    EXPECT_FALSE(client.publish(1, "one more"));
    EXPECT_EQ(client.goodbye(), Error::creditExceeded);
    EXPECT_FALSE(client.brokenStream);
}

TEST_F(SessionViolation, a_drain_ack_that_nobody_asked_for) {
    expectViolation(test::encoded(DrainAck{}), "DRAIN_ACK");
}

TEST_F(SessionViolation, harms_nobody_else) {
    FakeClient reader{hub};
    reader.subscribe(1, "t");
    FakeClient good{hub};
    good.open(1, "t");
    expectViolation(makeFrame(FrameType::welcome, {}), "WELCOME");
    good.publish(1, "still here");
    EXPECT_EQ(reader.payloads(), std::vector<std::string>{"still here"});
    EXPECT_EQ(hub.broker().sessionCount(), 2U);
}

TEST_F(SessionViolation, what_was_accepted_before_it_is_delivered) {
    FakeClient reader{hub};
    reader.subscribe(1, "t");
    FakeClient bad{hub};
    bad.open(1, "t");
    auto bytes = publishFrame(1, makeBatch({"good"}));
    test::append(bytes, makeFrame(FrameType::welcome, {}));
    test::append(bytes, publishFrame(1, makeBatch({"behind the violation"}, 2)));
    bad.write(bytes);
    EXPECT_EQ(reader.payloads(), std::vector<std::string>{"good"});
}

TEST_F(SessionViolation, what_was_accepted_before_it_is_confirmed_before_the_goodbye) {
    FakeClient bad{hub};
    bad.open(1, "t");
    auto bytes = publishFrame(1, makeBatch({"good"}));
    test::append(bytes, makeFrame(FrameType::welcome, {}));
    bad.write(bytes);
    EXPECT_EQ(bad.lastConfirm(1).sequence, 1U);
    EXPECT_EQ(bad.goodbye(), Error::protocolViolation);
}

// Ending its subscription frees the window that its own publication waits for.
TEST_F(SessionViolation, nothing_follows_the_goodbye) {
    FakeClient bad{hub};
    bad.open(1, "t");
    bad.subscribe(1, "t", 0);
    bad.publishAll(1, std::string(30'000, 'x'));
    bad.write(makeFrame(FrameType::welcome, {}));
    hub.advance(std::chrono::seconds{1});
    EXPECT_EQ(bad.goodbye(), Error::protocolViolation);
    EXPECT_FALSE(bad.brokenStream);
}

TEST_F(SessionViolation, ends_subscriptions_at_once) {
    FakeClient bad{hub};
    bad.subscribe(1, "t");
    bad.subscribe(2, ">");
    bad.write(makeFrame(FrameType::welcome, {}));
    EXPECT_EQ(hub.broker().subscriptionCount(), 0U);
    FakeClient good{hub};
    good.open(1, "t");
    good.publish(1, "x");
    EXPECT_TRUE(bad.messages.empty());
    EXPECT_EQ(bad.received.back().type, FrameType::goodbye);
}

}  // namespace
}  // namespace gazellemq::hub
