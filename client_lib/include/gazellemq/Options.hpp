#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "Error.hpp"

namespace gazellemq::client {

/// What both clients need to reach a hub. Every value has a default that suits a laptop.
struct ConnectionOptions {
    /// One attempt (name resolution, TCP connect, handshake) may take this long.
    std::chrono::milliseconds connectTimeout{5000};
    /// The first pause after a failed attempt or a lost link; doubled with jitter up to `backoffMax`.
    std::chrono::milliseconds backoffMin{50};
    std::chrono::milliseconds backoffMax{2000};
    /// A link on which nothing was received for this long is asked for a sign of life; it is given up after
    /// 2 x heartbeat + 1 s of silence. The hub may ask for a shorter interval.
    std::chrono::milliseconds heartbeat{5000};
    /// How long the destructor (and static destruction) waits for a first attempt that is under way and for confirms. 0 once an
    /// attempt has failed and the link was never up.
    std::chrono::milliseconds closeTimeout{2000};
};

/// What `publish` does when `maxBufferedBytes` are waiting.
enum class WhenFull : std::uint8_t {
    block,  ///< wait for room, at most `blockTimeout`, then return Error::bufferFull; a program that is much faster than the
            ///< link waits for it up to 50 ms before
    fail    ///< return Error::bufferFull at once
};

struct PublisherOptions : ConnectionOptions {
    /// Size of a full batch with all headers, in bytes (1 KB to 1 MB). A larger message travels alone.
    std::size_t maxBatchBytes = 32 * 1024;
    /// Messages in a batch; 0 = as many as fit.
    std::size_t maxBatchMessages = 0;
    /// Bytes that may wait in the client (link down, hub slow), headers included. At least `maxBatchBytes`.
    std::size_t maxBufferedBytes = 16 * 1024 * 1024;
    WhenFull whenFull = WhenFull::block;
    std::chrono::milliseconds blockTimeout{15000};
};

struct SubscriberOptions : ConnectionOptions {
    /// Bytes of each subscription that may wait in the client for its callback (credit told to the hub).
    std::size_t receiveWindowBytes = 4 * 1024 * 1024;
    /// Check the CRC32C of every batch; a damaged batch is reported through onError and not delivered.
    bool verifyChecksums = true;
};

/// The life of a client's link.
enum class State : std::uint8_t { connecting, ready, disconnected, closed };

std::string_view nameOf(State state) noexcept;

struct StateChange {
    State state = State::connecting;
    /// Why the link was lost or could not be made; `ok` and empty for connecting and ready.
    Error error = Error::ok;
    std::string reason;
};

}  // namespace gazellemq::client
