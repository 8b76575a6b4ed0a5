#pragma once
#include <cstddef>
#include <cstdint>

namespace gazellemq::hub {

class Session;
class Topic;

/// A topic opened for publishing by one connection: what arrived on the handle, what was confirmed, what may come.
/// Owned by the Session, known to the Topic.
struct Publication {
    Session* session;
    Topic* topic;                        ///< nullptr: it was deleted
    std::uint32_t handle;
    std::uint64_t received = 0;          ///< bytes of batches
    std::uint64_t credit = 0;            ///< absolute: bytes that the publisher was told it may send
    std::uint64_t receivedAtConfirm = 0; ///< `received` when the last CONFIRM was written
    std::uint64_t sequence = 0;          ///< last one accepted
    std::uint64_t confirmedSequence = 0; ///< last one told
    std::uint32_t hearers = 0;           ///< subscriptions that the last batch went to
    std::uint64_t unheard = 0;           ///< messages that went to none
    bool due = false;                    ///< in its session's list of confirms to send soon
    bool toldOfMemory = false;           ///< by a NOTICE, since it last got credit
    std::size_t index = 0;               ///< in the topic's list
    bool starved = false;                ///< in the topic's list of those that wait for room

    std::uint64_t unused() const { return credit > received ? credit - received : 0; }
};

}  // namespace gazellemq::hub
