#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ControlFrames.hpp"
#include "FrameReader.hpp"
#include "RawSocket.hpp"

namespace gazellemq::perf {

/// A client of a hub that speaks the protocol over one plain socket, without the threads and buffers of the
/// SDK: for roles that hold thousands of links, or that misbehave on purpose. It reads only when it is told
/// to. One thread; errors are Failures unless they say that the hub has ended the link.
class RawHubClient {
  public:
    using Pool = std::shared_ptr<protocol::BufferPool>;

    /// Connects to the hub at `url`, on this machine, and sends the greeting. Clients may share `pool`.
    RawHubClient(std::string const& url, std::string_view name, std::chrono::milliseconds timeout,
                 Pool const& pool);

    template <typename F>
    void send(F const& frame) {
        std::vector<std::byte> bytes;
        protocol::encode(frame, bytes);
        write(bytes);
    }
    /// As send(), but nobody waits and nobody minds if it does not go out.
    template <typename F>
    void trySend(F const& frame) {
        std::vector<std::byte> bytes;
        protocol::encode(frame, bytes);
        tryWrite(bytes);
    }

    enum class Read : std::uint8_t { some, nothing, end };
    /// Reads once, for at most the timeout, and calls `take` with each whole frame.
    template <typename Take>
    Read read(Take const& take) {
        auto const result = receive();
        protocol::Frame frame;
        while (reader_.next(frame) == protocol::FrameReader::Step::frame) take(frame);
        reader_.rest();
        return result;
    }
    /// Reads until a frame of this type has come, and drops all others.
    void waitFor(protocol::FrameType type);

    int descriptor() const { return socket_.descriptor(); }

  private:
    Read receive();
    void write(std::vector<std::byte> const& bytes) const;
    void tryWrite(std::vector<std::byte> const& bytes) const;

    RawSocket socket_;
    protocol::FrameReader reader_;
};

}  // namespace gazellemq::perf
