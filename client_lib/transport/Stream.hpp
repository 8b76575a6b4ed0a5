#pragma once
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace gazellemq::transport {

/// A connected byte stream, whatever carries it. It knows bytes, not frames.
///
/// The two `try` calls never block: they give `boost::asio::error::would_block` instead. Each may be made by one
/// thread at a time, on any thread, as may blockUntilReadable(); everything else belongs to the thread of the stream's io_context.
class Stream {
  public:
    using Count = boost::system::result<std::size_t>;

    virtual ~Stream() = default;

    /// Reads what is there, at most `room`. 0 bytes never come: the end of the stream is `boost::asio::error::eof`.
    virtual Count tryRead(std::span<std::byte> room) = 0;
    /// One gathered write; may take only a part. Never raises SIGPIPE.
    virtual Count tryWrite(std::span<iovec const> pieces) = 0;

    /// Blocks the calling thread until tryRead() has something to tell. False after `limit`.
    virtual bool blockUntilReadable(std::chrono::milliseconds limit) = 0;

    /// Spares the stream's thread being waked by every arrival, until the next wait. Not during one.
    virtual void stopWatching() = 0;
    virtual boost::asio::awaitable<boost::system::error_code> waitReadable() = 0;
    virtual boost::asio::awaitable<boost::system::error_code> waitWritable() = 0;

    /// Ends both directions. Waits that are under way finish; the descriptor is closed with the last owner, so that a tryWrite
    /// on another thread never hits a stranger's descriptor.
    virtual void shutdown() = 0;
    /// Says that no more will be written; reading goes on.
    virtual void shutdownWrite() = 0;

    /// For people: address and port, or process and user at the other end of a Unix socket.
    virtual std::string peer() const = 0;
    /// What limits per address count: the IP address, or the user.
    virtual std::string peerAddress() const = 0;
};

/// Wraps a connected TCP or Unix socket: non-blocking, close-on-exec, no Nagle delay.
std::shared_ptr<Stream> makeStream(boost::asio::generic::stream_protocol::socket socket);

}  // namespace gazellemq::transport
