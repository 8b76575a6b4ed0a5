#include "gazellemq/Error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gazellemq {
namespace {

/// The identifier of every enumerator. A new one that is missing here is a compiler warning (-Wswitch), and
/// so an error.
std::string_view identifierOf(Error error) {
    switch (error) {
// clang-format off
#define CASE(name) case Error::name: return #name;
        CASE(ok) CASE(nameEmpty) CASE(nameTooLong) CASE(nameEmptyLevel) CASE(nameNotUtf8)
        CASE(nameControlCharacter) CASE(nameEdgeSpace) CASE(nameReserved) CASE(nameWildcard)
        CASE(wildcardNotAlone) CASE(wildcardNotLast) CASE(tooLarge) CASE(bufferFull) CASE(wouldDeadlock)
        CASE(closed) CASE(timeout) CASE(invalidUrl) CASE(invalidOption) CASE(alreadyConnected)
        CASE(notSubscribed) CASE(callbackFailed) CASE(linkLost) CASE(damaged) CASE(protocolViolation)
        CASE(forked) CASE(slowConsumer) CASE(tooManyConnections) CASE(tooManyConnectionsFromAddress)
        CASE(tooManyTopics) CASE(tooManySubscriptions) CASE(tooManyOpenTopics)
        CASE(versionUnsupported) CASE(limitReached) CASE(stalled) CASE(goingAway) CASE(silent)
        CASE(handshakeTimeout) CASE(hubMemoryFull) CASE(creditExceeded)
        CASE(noSuchTopic) CASE(topicExists) CASE(topicDeleted) CASE(policyNotAllowed)
        CASE(tooManySubscriptionsToTopic) CASE(tooManyPublishersOfTopic) CASE(noSuchOperation)
        CASE(badArgument) CASE(noSuchConnection) CASE(kicked) CASE(storageError)
        CASE(noSuchPartition)
#undef CASE
        // clang-format on
    }
    return "";
}

template <typename F>
void forEachNumber(F&& use) {
    for (unsigned number = 0; number <= 0xFFFF; ++number) use(static_cast<Error>(number));
}

TEST(Error, each_enumerator_has_its_identifier_as_name_and_a_sentence_of_its_own) {
    std::set<std::string_view> names;
    std::set<std::string_view> sentences;
    auto const unknownSentence = describe(static_cast<Error>(0xFFFF));
    forEachNumber([&](Error error) {
        auto const identifier = identifierOf(error);
        if (identifier.empty()) return;
        EXPECT_EQ(nameOf(error), identifier);
        EXPECT_TRUE(names.insert(nameOf(error)).second) << identifier;
        EXPECT_TRUE(sentences.insert(describe(error)).second) << identifier << " shares its sentence";
        EXPECT_NE(describe(error), unknownSentence) << identifier;
        EXPECT_GE(describe(error).size(), 8U) << identifier;
    });
    EXPECT_GE(names.size(), 30U);
}

TEST(Error, a_number_of_a_later_version_is_called_unknown) {
    forEachNumber([](Error error) {
        if (!identifierOf(error).empty()) return;
        ASSERT_EQ(nameOf(error), "unknown");
        ASSERT_FALSE(describe(error).empty());
    });
}

TEST(Error, the_numbers_are_part_of_the_protocol) {
    EXPECT_EQ(static_cast<int>(Error::ok), 0);
    EXPECT_EQ(static_cast<int>(Error::wildcardNotLast), 10);
    EXPECT_EQ(static_cast<int>(Error::tooLarge), 20);
    EXPECT_EQ(static_cast<int>(Error::damaged), 31);
    EXPECT_EQ(static_cast<int>(Error::protocolViolation), 40);
    EXPECT_EQ(static_cast<int>(Error::handshakeTimeout), 46);
}

TEST(Error, is_a_boost_error_code) {
    boost::system::error_code const code = Error::bufferFull;
    EXPECT_TRUE(code.failed());
    EXPECT_EQ(code, Error::bufferFull);
    EXPECT_NE(code, Error::timeout);
    EXPECT_EQ(&code.category(), &errorCategory());
    EXPECT_EQ(code.message(), describe(Error::bufferFull));
    EXPECT_EQ(std::string{code.category().name()}, "gazellemq");
    EXPECT_FALSE(boost::system::error_code{Error::ok}.failed());
}

}  // namespace
}  // namespace gazellemq
