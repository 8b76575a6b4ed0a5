#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FakeClient.hpp"
#include "Session.hpp"

namespace gazellemq::hub {
namespace {

using namespace protocol;
using test::FakeClient;
using test::FakeHub;
using testing::ElementsAre;

/// The orderly end, from either side.
class SessionDrain : public testing::Test {
  protected:
    void drain() {
        hub.broker().drain();
        hub.settle();
    }

    FakeHub hub;
    FakeClient publisher{hub};
    FakeClient reader{hub};
};

TEST_F(SessionDrain, everything_accepted_is_delivered_before_the_goodbye) {
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    publisher.publish(1, "before");
    drain();
    EXPECT_EQ(publisher.all<Drain>().size(), 1U);
    EXPECT_EQ(reader.all<Drain>().size(), 1U);
    publisher.publish(1, "on its way");
    publisher.send(DrainAck{});
    EXPECT_EQ(publisher.goodbye(), Error::ok) << "the others have not answered";
    reader.send(DrainAck{});
    EXPECT_EQ(publisher.goodbye(), Error::goingAway);
    EXPECT_EQ(reader.goodbye(), Error::ok) << "there is something left to deliver";
    reader.send(Credit{1, FakeClient::kUnlimited});
    hub.settle();
    EXPECT_THAT(reader.payloads(), ElementsAre("before", "on its way"));
    EXPECT_EQ(reader.goodbye(), Error::goingAway);
    EXPECT_EQ(publisher.lastConfirm(1).sequence, 2U) << "and everything is confirmed";
}

TEST_F(SessionDrain, a_publish_after_the_drain_ack_is_a_violation) {
    publisher.open(1, "t");
    drain();
    publisher.send(DrainAck{});
    publisher.publish(1, "too late");
    EXPECT_EQ(publisher.goodbye(), Error::protocolViolation);
}

TEST_F(SessionDrain, a_second_drain_ack_is_a_violation) {
    drain();
    publisher.send(DrainAck{});
    publisher.send(DrainAck{});
    EXPECT_EQ(publisher.goodbye(), Error::protocolViolation);
}

TEST_F(SessionDrain, does_not_wait_for_a_client_that_has_gone) {
    auto third = std::make_unique<FakeClient>(hub);
    drain();
    publisher.send(DrainAck{});
    reader.send(DrainAck{});
    EXPECT_EQ(publisher.goodbye(), Error::ok);
    third.reset();
    hub.settle();
    EXPECT_EQ(publisher.goodbye(), Error::goingAway);
    EXPECT_EQ(reader.goodbye(), Error::goingAway);
}

TEST_F(SessionDrain, does_not_count_a_client_twice_that_answers_and_goes) {
    auto third = std::make_unique<FakeClient>(hub);
    drain();
    third->send(DrainAck{});
    third.reset();
    publisher.send(DrainAck{});
    EXPECT_EQ(publisher.goodbye(), Error::ok) << "the reader has not answered";
    reader.send(DrainAck{});
    EXPECT_EQ(reader.goodbye(), Error::goingAway);
}

TEST_F(SessionDrain, turns_newcomers_away) {
    drain();
    FakeClient late{hub, false};
    hub.settle();
    EXPECT_EQ(late.goodbye(), Error::goingAway);
    EXPECT_TRUE(late.session().finished());
}

TEST_F(SessionDrain, turns_away_who_has_not_said_hello) {
    FakeClient silent{hub, false};
    drain();
    EXPECT_EQ(silent.goodbye(), Error::goingAway);
}

TEST_F(SessionDrain, its_end_says_goodbye_to_whoever_is_left) {
    publisher.open(1, "t");
    reader.subscribe(1, "t", 0);
    publisher.publish(1, "never taken");
    drain();
    hub.broker().endDrain();
    hub.settle();
    EXPECT_EQ(reader.goodbye(), Error::goingAway);
    EXPECT_EQ(publisher.goodbye(), Error::goingAway);
    EXPECT_FALSE(hub.broker().drained()) << "the connections are the shell's to close";
}

TEST_F(SessionDrain, a_half_written_frame_is_finished_before_the_goodbye) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    reader.reads = false;
    publisher.publish(1, std::string(30'000, 'x'));
    reader.read(1000);
    hub.broker().drain();
    hub.broker().endDrain();
    reader.read();
    EXPECT_EQ(reader.messages.size(), 1U);
    EXPECT_EQ(reader.goodbye(), Error::goingAway);
    EXPECT_FALSE(reader.brokenStream);
}

TEST_F(SessionDrain, a_clients_drain_ends_deliveries_and_is_answered_behind_them) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    reader.reads = false;
    publisher.publish(1, "was sent");
    reader.send(Drain{});
    publisher.publish(1, "comes too late");
    reader.read();
    EXPECT_THAT(reader.payloads(), ElementsAre("was sent"));
    EXPECT_EQ(reader.received.back().type, FrameType::drainAck);
}

TEST_F(SessionDrain, a_clients_goodbye_is_the_end_and_brings_the_last_confirms) {
    publisher.open(1, "t");
    reader.subscribe(1, "t");
    auto bytes = test::publishFrame(1, test::makeBatch({"last"}));
    test::append(bytes, test::encoded(Goodbye{Error::ok, "done"}));
    publisher.write(bytes);
    EXPECT_TRUE(publisher.session().closing());
    EXPECT_TRUE(publisher.session().finished());
    EXPECT_EQ(publisher.lastConfirm(1).sequence, 1U);
    EXPECT_EQ(publisher.session().endReason(), "done");
    EXPECT_THAT(reader.payloads(), ElementsAre("last"));
    EXPECT_TRUE(publisher.all<Goodbye>().empty());
}

}  // namespace
}  // namespace gazellemq::hub
