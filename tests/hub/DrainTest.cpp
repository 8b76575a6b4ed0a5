#include <gtest/gtest.h>

#include "RawClient.hpp"
#include "Received.hpp"
#include "Stamp.hpp"
#include "TestHub.hpp"

/// The end of a hub, on the wire: DRAIN, DRAIN_ACK, the rest, GOODBYE goingAway, end of stream.
namespace gazellemq::test {
namespace {

using protocol::FrameType;

class DrainOnTheWire : public testing::Test {
  protected:
    void start(std::chrono::milliseconds drainLimit) {
        hub::ServerOptions options;
        options.listen = {"tcp://127.0.0.1:0"};
        options.drainLimit = drainLimit;
        server.emplace(options);
        server->start();
    }

    std::unique_ptr<RawClient> connect(int receiveBufferBytes = 0) {
        auto raw = std::make_unique<RawClient>(server->port(), receiveBufferBytes);
        EXPECT_TRUE(raw->greet());
        return raw;
    }

    static std::vector<FrameType> typesFrom(RawClient const& raw, FrameType first) {
        std::vector<FrameType> types;
        for (auto const& entry : raw.received().entries()) {
            if (!types.empty() || entry.type == first) types.push_back(entry.type);
        }
        return types;
    }

    std::optional<hub::Server> server;
};

TEST_F(DrainOnTheWire, an_idle_hub_ends_at_once) {
    start(1h);
    server->stop();
    EXPECT_EQ(server->stats().connections, 0u);
}

TEST_F(DrainOnTheWire, an_idle_client_is_told_goodbye) {
    start(1h);
    auto const raw = connect();
    server->drain();
    ASSERT_TRUE(raw->waitFor<protocol::Drain>());
    ASSERT_TRUE(raw->sendFrame(protocol::DrainAck{}));
    EXPECT_EQ(raw->waitForEnd(), RawClient::End::closed);
    EXPECT_EQ(typesFrom(*raw, FrameType::drain), (std::vector{FrameType::drain, FrameType::goodbye}));
    EXPECT_EQ(raw->received().last<protocol::Goodbye>()->code, Error::goingAway);
    EXPECT_EQ(raw->received().unfinished(), 0u);
    raw->reset();
    server->wait();
}

TEST_F(DrainOnTheWire, what_was_accepted_is_delivered_before_the_goodbye) {
    start(1h);
    auto const reader = connect();
    ASSERT_EQ(reader->subscribe(1, "rest", 0), Error::ok);
    auto const writer = connect();
    ASSERT_EQ(writer->open(1, "rest"), Error::ok);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->publish(1, {"before"}));
    ASSERT_TRUE(writer->waitForConfirm(1, 10));

    server->drain();
    ASSERT_TRUE(writer->waitFor<protocol::Drain>());
    ASSERT_TRUE(reader->waitFor<protocol::Drain>());
    // What was on its way when the DRAIN came is taken.
    ASSERT_TRUE(writer->publish(1, {"last"}));
    ASSERT_TRUE(writer->sendFrame(protocol::DrainAck{}));
    ASSERT_TRUE(writer->waitForConfirm(1, 11));
    ASSERT_TRUE(reader->sendFrame(protocol::DrainAck{}));
    // Without credit nothing is delivered, and the hub waits.
    ASSERT_TRUE(reader->sendFrame(protocol::Ping{1}));
    ASSERT_TRUE(reader->waitFor<protocol::Pong>());
    EXPECT_TRUE(reader->received().messages().empty());
    EXPECT_FALSE(reader->readable(100ms));
    ASSERT_TRUE(reader->sendFrame(protocol::Credit{1, RawClient::kUnlimited}));

    EXPECT_EQ(reader->waitForEnd(), RawClient::End::closed);
    ASSERT_EQ(reader->received().messages().size(), 11u);
    EXPECT_EQ(reader->received().payloads().back(), "last");
    EXPECT_EQ(reader->received().last<protocol::Goodbye>()->code, Error::goingAway);
    EXPECT_EQ(reader->received().problem(), "");
    EXPECT_EQ(writer->waitForGoodbye(), Error::goingAway);
    EXPECT_EQ(writer->end(), RawClient::End::closed);
    EXPECT_EQ(writer->received().problem(), "");
    reader->reset();
    writer->reset();
    server->wait();
}

TEST_F(DrainOnTheWire, after_the_ack_no_more_may_be_published) {
    start(1h);
    auto const writer = connect();
    ASSERT_EQ(writer->open(1, "late"), Error::ok);
    auto const other = connect();  // keeps the hub draining
    server->drain();
    ASSERT_TRUE(writer->waitFor<protocol::Drain>());
    ASSERT_TRUE(writer->sendFrame(protocol::DrainAck{}));
    ASSERT_TRUE(writer->publish(1, {"too late"}));
    EXPECT_EQ(writer->waitForGoodbye(), Error::protocolViolation);
    writer->reset();
    other->reset();
    server->wait();
}

TEST_F(DrainOnTheWire, who_has_not_greeted_yet_is_turned_away) {
    start(1h);
    RawClient early{server->port()};
    ASSERT_TRUE(early.send(RawClient::magic()));
    ASSERT_TRUE(eventually([&] { return server->stats().connections == 1; }));
    server->drain();
    EXPECT_EQ(early.waitForGoodbye(), Error::goingAway);
    early.reset();
    server->wait();
}

TEST_F(DrainOnTheWire, nobody_new_is_served) {
    start(1h);
    auto const old = connect();
    server->drain();
    ASSERT_TRUE(old->waitFor<protocol::Drain>());
    EXPECT_THROW(RawClient{server->port()}, std::runtime_error);
    old->reset();
    server->wait();
}

TEST_F(DrainOnTheWire, a_peer_that_never_answers_is_cut_at_the_limit_with_a_goodbye) {
    start(300ms);
    auto const raw = connect();
    server->drain();
    EXPECT_EQ(raw->waitForGoodbye(), Error::goingAway);
    EXPECT_EQ(raw->end(), RawClient::End::closed);
    server->wait();
}

TEST_F(DrainOnTheWire, a_peer_that_never_reads_is_cut_at_the_limit_and_the_others_get_everything) {
    start(2s);
    auto const frozen = connect(4096);
    ASSERT_EQ(frozen->subscribe(1, "much.*"), Error::ok);
    auto const reader = connect();
    ASSERT_EQ(reader->subscribe(1, "much.a"), Error::ok);
    auto const writer = connect();
    ASSERT_EQ(writer->open(1, "much.a"), Error::ok);
    constexpr std::size_t kMessages = 400;
    for (std::size_t i = 1; i <= kMessages; ++i) {
        ASSERT_TRUE(writer->publish(1, {stamped(0, i - 1, 30'000)}));
        ASSERT_TRUE(writer->waitForConfirm(1, i));
        ASSERT_TRUE(reader->waitForMessages(i > 20 ? i - 20 : 0));
    }
    server->drain();
    ASSERT_TRUE(reader->waitFor<protocol::Drain>());
    ASSERT_TRUE(reader->sendFrame(protocol::DrainAck{}));
    ASSERT_TRUE(writer->waitFor<protocol::Drain>());
    ASSERT_TRUE(writer->sendFrame(protocol::DrainAck{}));
    EXPECT_EQ(reader->waitForGoodbye(), Error::goingAway);
    EXPECT_EQ(reader->received().messages().size(), kMessages);
    EXPECT_EQ(reader->received().problem(), "");
    server->wait();
    EXPECT_NE(frozen->waitForEnd(), RawClient::End::open);
    EXPECT_EQ(frozen->received().problem(), "") << "what did arrive is whole";
}

TEST_F(DrainOnTheWire, a_client_of_the_sdk_gets_everything_and_is_told_why) {
    start(1h);
    auto const url = server->urls().front();
    TestSubscriber subscriber;
    subscriber.client.connectToHub("subscriber", url);
    ASSERT_EQ(subscriber.subscribe("sdk"), Error::ok);
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", url);
    constexpr std::size_t kMessages = 20'000;
    for (std::size_t i = 0; i < kMessages; ++i) ASSERT_EQ(publisher.publish("sdk", stamped(0, i)), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    server->stop();
    ASSERT_TRUE(subscriber.messages.waitFor(kMessages));
    StampCheck check;
    for (auto const& payload : subscriber.payloads()) check.take(payload);
    EXPECT_TRUE(check.perfect());
    ASSERT_TRUE(subscriber.stateErrors.waitFor(1));
    EXPECT_EQ(subscriber.stateErrors.all().front(), Error::goingAway);
}

}  // namespace
}  // namespace gazellemq::test
