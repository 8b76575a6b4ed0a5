#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Received.hpp"
#include "TestHub.hpp"

namespace gazellemq::client {
namespace {

using namespace test;
using namespace std::string_literals;

struct Refused {
    std::string name;
    Error rule;
};

std::vector<Refused> const kRefusedEverywhere{
    {"", Error::nameEmpty},
    {"../../evil", Error::nameEmptyLevel},
    {"..", Error::nameEmptyLevel},
    {".", Error::nameEmptyLevel},
    {"a/../../b", Error::nameEmptyLevel},
    {"..%2f..%2fx", Error::nameEmptyLevel},
    {"trailing.", Error::nameEmptyLevel},
    {".leading", Error::nameEmptyLevel},
    {"a\0b"s, Error::nameControlCharacter},
    {"a\nb", Error::nameControlCharacter},
    {"a\x7F", Error::nameControlCharacter},
    {"a\xC2\x85", Error::nameControlCharacter},
    {std::string(256, 'x'), Error::nameTooLong},
    {std::string(4096, 'x'), Error::nameTooLong},
    {"trailing ", Error::nameEdgeSpace},
    {" leading", Error::nameEdgeSpace},
    {"\xFF\xFE", Error::nameNotUtf8},
    {"\xC0\xAF", Error::nameNotUtf8},
    {"cut\xE2\x82", Error::nameNotUtf8},
    {"_inbox", Error::nameReserved},
};

/// Each is a topic of its own, compared byte by byte.
std::vector<std::string> const kAccepted{
    "/etc/x",   "C:\\x",  "%2e%2e%2fx", "CON",      "con",         "Con",    std::string(255, 'x'), "\xF0\x9F\xA6\x8C",
    "a/b",      "a_b",    "a-b",        "a:b",      "in the middle", "-",      "a.b",                 "a._b",
    "caf\xC3\xA9" /* NFC */, "cafe\xCC\x81" /* NFD */, "~", "$SYS", "nul.txt", "*"  // the last only as a pattern
};

TEST(NameRules, publish_and_subscribe_refuse_a_bad_name_with_its_rule) {
    PublisherClient publisher;
    SubscriberClient subscriber;
    for (auto const& [name, rule] : kRefusedEverywhere) {
        EXPECT_EQ(publisher.publish(name, "x"), rule) << name;
        std::vector<std::string_view> const payloads{"x"};
        EXPECT_EQ(publisher.publishBatch(name, payloads), rule) << name;
        auto const subscribed = subscriber.subscribe(name, [](std::string&&) {});
        EXPECT_EQ(subscribed.error(), rule) << name;
        EXPECT_EQ(subscribed.id(), 0U) << name;
        EXPECT_GT(describe(rule).size(), 20U) << "says the rule";
    }
    EXPECT_EQ(publisher.stats().published, 0U);
}

TEST(NameRules, wildcards_are_for_subscriptions_and_stand_alone) {
    PublisherClient publisher;
    SubscriberClient subscriber;
    for (auto const* name : {"*", ">", "a.*", "a.>", "a*b", "a>"}) {
        EXPECT_EQ(publisher.publish(name, "x"), Error::nameWildcard) << name;
    }
    for (auto const& [name, rule] : std::vector<Refused>{{"a*", Error::wildcardNotAlone},
                                                         {"a.b>.c", Error::wildcardNotAlone},
                                                         {"**", Error::wildcardNotAlone},
                                                         {">.a", Error::wildcardNotLast},
                                                         {"a.>.b", Error::wildcardNotLast}}) {
        EXPECT_EQ(subscriber.subscribe(name, [](std::string&&) {}).error(), rule) << name;
    }
}

TEST(NameRules, strange_but_legal_names_are_topics_of_their_own) {
    TestHub hub;
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    std::vector<Inbox<Received>> inboxes(kAccepted.size());
    for (std::size_t i = 0; i < kAccepted.size(); ++i) {
        EXPECT_EQ(subscriber.client
                      .subscribe(kAccepted[i],
                                 [&inbox = inboxes[i]](Message const& message) {
                                     inbox.add({std::string{message.topic}, std::string{message.payload}});
                                 })
                      .error(),
                  Error::ok)
            << kAccepted[i];
    }
    ASSERT_EQ(subscriber.client.waitUntilSubscribed(kPatience), Error::ok);
    auto const names = kAccepted.size() - 1;
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < names; ++i) EXPECT_EQ(publisher.publish(kAccepted[i], kAccepted[i]), Error::ok);
    }
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    for (std::size_t i = 0; i < names; ++i) ASSERT_TRUE(inboxes[i].waitFor(3)) << kAccepted[i];
    subscriber.client.drain(kPatience);
    for (std::size_t i = 0; i < names; ++i) {
        EXPECT_EQ(inboxes[i].size(), 3U) << kAccepted[i];
        for (auto const& message : inboxes[i].all()) {
            EXPECT_EQ(message.topic, kAccepted[i]);
            EXPECT_EQ(message.payload, kAccepted[i]);
        }
    }
    EXPECT_EQ(inboxes.back().size(), 3 * (names - 3)) << "all but a.b, a._b and nul.txt have one level";
}

TEST(NameRules, a_refused_name_among_good_ones_harms_nothing) {
    TestHub hub;
    PublisherClient publisher;
    ASSERT_EQ(publisher.connectToHub("publisher", hub.url()), Error::ok);
    TestSubscriber subscriber;
    ASSERT_EQ(subscriber.client.connectToHub("subscriber", hub.url()), Error::ok);
    ASSERT_EQ(subscriber.subscribe("good"), Error::ok);
    EXPECT_EQ(publisher.publish("good", "1"), Error::ok);
    EXPECT_EQ(publisher.publish("not..good", "2"), Error::nameEmptyLevel);
    EXPECT_EQ(subscriber.client.subscribe("not..good", subscriber.keep()).error(), Error::nameEmptyLevel);
    EXPECT_EQ(publisher.publish("good", "3"), Error::ok);
    ASSERT_TRUE(subscriber.messages.waitFor(2));
    EXPECT_THAT(subscriber.payloads(), testing::ElementsAre("1", "3"));
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(publisher.stats().published, 2U);
}

}  // namespace
}  // namespace gazellemq::client
