#pragma once
#include <cstdint>
#include <string_view>

#include <boost/system/error_code.hpp>

namespace gazellemq {

/// What can go wrong at run time, for a caller of the SDK and on the wire (the numbers are part of the
/// protocol). `ok` is 0, so `if (Error e = client.publish(...); e != Error::ok)` reads naturally.
/// `describe(e)` is one sentence with the rule that was broken or the next step.
enum class Error : std::uint16_t {
    ok = 0,

    // A topic or a pattern was refused; each code is one rule.
    nameEmpty = 1,
    nameTooLong = 2,
    nameEmptyLevel = 3,
    nameNotUtf8 = 4,
    nameControlCharacter = 5,
    nameEdgeSpace = 6,
    nameReserved = 7,
    nameWildcard = 8,
    wildcardNotAlone = 9,
    wildcardNotLast = 10,

    // Decided in the SDK.
    tooLarge = 20,
    bufferFull = 21,
    wouldDeadlock = 22,
    closed = 23,
    timeout = 24,
    invalidUrl = 25,
    invalidOption = 26,
    alreadyConnected = 27,
    notSubscribed = 28,
    callbackFailed = 29,
    linkLost = 30,
    damaged = 31,
    forked = 32,

    // Decided by the hub.
    protocolViolation = 40,
    versionUnsupported = 41,
    limitReached = 42,
    stalled = 43,
    goingAway = 44,
    silent = 45,
    handshakeTimeout = 46,
    slowConsumer = 48,
    hubMemoryFull = 49,
    tooManyConnections = 50,
    tooManyConnectionsFromAddress = 51,
    tooManyTopics = 52,
    tooManySubscriptions = 53,
    tooManyOpenTopics = 54,
    creditExceeded = 55,
    noSuchTopic = 56,
    topicExists = 57,
    topicDeleted = 58,
    policyNotAllowed = 59,
    tooManySubscriptionsToTopic = 60,
    tooManyPublishersOfTopic = 61,
    noSuchOperation = 62,
    badArgument = 63,
    noSuchConnection = 64,
    kicked = 65,
    storageError = 66,
    noSuchPartition = 67,
};

/// One English sentence for `error`. Static storage; any thread.
std::string_view describe(Error error) noexcept;

/// The identifier of `error` as written above ("bufferFull"). Static storage; any thread.
std::string_view nameOf(Error error) noexcept;

/// The boost::system category of Error ("gazellemq").
boost::system::error_category const& errorCategory() noexcept;

inline boost::system::error_code make_error_code(Error error) noexcept {
    return {static_cast<int>(error), errorCategory()};
}

}  // namespace gazellemq

namespace boost::system {
template <>
struct is_error_code_enum<gazellemq::Error> : std::true_type {};
}  // namespace boost::system
