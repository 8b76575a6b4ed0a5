#include "gazellemq/Error.hpp"

#include <array>

namespace gazellemq {
namespace {

struct Entry {
    Error error;
    std::string_view name;
    std::string_view sentence;
};

constexpr Entry kEntries[] = {
    {Error::ok, "ok", "no error"},
    {Error::nameEmpty, "nameEmpty", "the topic is empty: give a name such as 'orders.created'"},
    {Error::nameTooLong, "nameTooLong", "the topic is longer than 255 bytes (or than the hub's limit): shorten it"},
    {Error::nameEmptyLevel, "nameEmptyLevel",
     "the topic has an empty level: no '.' at the start or the end and no two dots in a row"},
    {Error::nameNotUtf8, "nameNotUtf8", "the topic is not valid UTF-8"},
    {Error::nameControlCharacter, "nameControlCharacter",
     "the topic contains a control character (NUL, newline, tab, ...): use printable characters only"},
    {Error::nameEdgeSpace, "nameEdgeSpace", "the topic starts or ends with a space: remove it"},
    {Error::nameReserved, "nameReserved", "topics that begin with '_' are reserved for GazelleMQ: choose another first character"},
    {Error::nameWildcard, "nameWildcard",
     "a topic to publish to contains no '*' or '>': these are wildcards for subscriptions"},
    {Error::wildcardNotAlone, "wildcardNotAlone", "a wildcard stands alone between dots: 'a.*.c', not 'a.b*'"},
    {Error::wildcardNotLast, "wildcardNotLast", "the wildcard '>' is the last level: 'a.>', not 'a.>.c'"},
    {Error::tooLarge, "tooLarge", "the message is larger than the hub's payload limit or the client's buffer: send a smaller one"},
    {Error::bufferFull, "bufferFull",
     "the client's buffer (maxBufferedBytes) is full: the link is down or the hub is slower than the program; try again later"},
    {Error::wouldDeadlock, "wouldDeadlock",
     "this call would wait for the callback that makes it: call it on another thread"},
    {Error::closed, "closed", "the client is closed: make a new one"},
    {Error::timeout, "timeout", "the time limit passed first"},
    {Error::invalidUrl, "invalidUrl", "the hub's address is not of the form tcp://host:port, tcp://[v6]:port or unix:///path"},
    {Error::invalidOption, "invalidOption", "an option is out of range: see the limits in gazellemq/Options.hpp"},
    {Error::alreadyConnected, "alreadyConnected", "connectToHub was called before: give it all hubs at once, or make another client"},
    {Error::notSubscribed, "notSubscribed", "there is no such subscription"},
    {Error::callbackFailed, "callbackFailed", "a callback ended with an exception"},
    {Error::linkLost, "linkLost", "the link to the hub was lost"},
    {Error::damaged, "damaged", "a batch arrived with a wrong checksum or layout and was not delivered"},
    {Error::forked, "forked", "this client was made before fork() and its threads are in the parent: make a new client in the child"},
    {Error::protocolViolation, "protocolViolation", "the peer sent something that the protocol does not allow"},
    {Error::versionUnsupported, "versionUnsupported", "the peer speaks another version of the protocol: update the older side"},
    {Error::limitReached, "limitReached", "a limit of the hub is reached: raise it there or use less"},
    {Error::stalled, "stalled",
     "the subscriber took none of the waiting messages for the stall limit: return from callbacks sooner"},
    {Error::goingAway, "goingAway", "the peer is shutting down"},
    {Error::silent, "silent", "nothing was heard from the peer for two heartbeats and a second"},
    {Error::handshakeTimeout, "handshakeTimeout", "the peer did not complete the handshake in time"},
    {Error::slowConsumer, "slowConsumer",
     "the subscriber fell behind by the whole window of a topic whose policy is to disconnect: return from callbacks sooner"},
    {Error::hubMemoryFull, "hubMemoryFull",
     "the hub's buffers are near --max-memory: publishers wait until readers have caught up; raise it, or find the slow readers"},
    {Error::tooManyConnections, "tooManyConnections", "the hub serves as many connections as --max-connections allows"},
    {Error::tooManyConnectionsFromAddress, "tooManyConnectionsFromAddress",
     "the hub serves as many connections from this address as --max-connections-per-address allows"},
    {Error::tooManyTopics, "tooManyTopics", "the hub has as many topics as --max-topics allows"},
    {Error::tooManySubscriptions, "tooManySubscriptions", "the connection has as many subscriptions as --max-subscriptions allows"},
    {Error::tooManyOpenTopics, "tooManyOpenTopics", "the connection publishes to as many topics as --max-open-topics allows"},
    {Error::creditExceeded, "creditExceeded",
     "the publisher sent more than the hub's credit allows (--window-bytes, --max-unconfirmed-bytes): wait for a CONFIRM"},
    {Error::noSuchTopic, "noSuchTopic", "there is no such topic: create it, or start the hub with --auto-create"},
    {Error::topicExists, "topicExists", "the topic exists: change it with 'set', or delete it first"},
    {Error::topicDeleted, "topicDeleted", "the topic was deleted"},
    {Error::policyNotAllowed, "policyNotAllowed",
     "the topic does not let subscriptions choose this policy for slow consumers: choose another, or allow it in its settings"},
    {Error::tooManySubscriptionsToTopic, "tooManySubscriptionsToTopic", "the topic has as many subscriptions as its settings allow"},
    {Error::tooManyPublishersOfTopic, "tooManyPublishersOfTopic", "the topic has as many publishers as its settings allow"},
    {Error::noSuchOperation, "noSuchOperation", "the hub does not know this operation: is it older than the program that asks?"},
    {Error::badArgument, "badArgument", "an argument of the operation is missing or wrong"},
    {Error::storageError, "storageError", "the hub could not write to its data directory: look at its log and its disk"},
    {Error::noSuchPartition, "noSuchPartition", "the topic has fewer partitions: see 'gazelle topic info'"},
    {Error::kicked, "kicked", "an administrator has ended the connection"},
    {Error::noSuchConnection, "noSuchConnection", "there is no such connection (any more)"},
};

Entry const* find(Error error) noexcept {
    for (auto const& entry : kEntries) {
        if (entry.error == error) return &entry;
    }
    return nullptr;
}

class Category final : public boost::system::error_category {
  public:
    char const* name() const noexcept override { return "gazellemq"; }
    std::string message(int value) const override { return std::string{describe(static_cast<Error>(value))}; }
};

}  // namespace

std::string_view describe(Error error) noexcept {
    auto const* entry = find(error);
    return entry ? entry->sentence : "an error code that this version does not know";
}

std::string_view nameOf(Error error) noexcept {
    auto const* entry = find(error);
    return entry ? entry->name : "unknown";
}

boost::system::error_category const& errorCategory() noexcept {
    static Category const category;
    return category;
}

}  // namespace gazellemq
