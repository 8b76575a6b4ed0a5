#pragma once
#include <sys/socket.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "Transcript.hpp"
#include "Waiting.hpp"

namespace gazellemq::test {

/// A plain blocking socket that writes exact bytes to a hub and keeps what comes back. It reads only when asked to wait for
/// something; a wait that outlasts kPatience fails. PINGs met while reading are answered unless told otherwise. One thread.
class RawClient {
  public:
    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
    enum class End : std::uint8_t { open, closed, reset };

    /// Connects to 127.0.0.1. `receiveBufferBytes`: SO_RCVBUF, 0 = the system's. Throws std::runtime_error.
    explicit RawClient(std::uint16_t port, int receiveBufferBytes = 0);
    /// Connects to a Unix socket, where only the sender's buffer counts.
    explicit RawClient(std::string const& path);
    ~RawClient();
    RawClient(RawClient const&) = delete;
    RawClient& operator=(RawClient const&) = delete;

    static Bytes magic();
    /// Magic and HELLO.
    static Bytes greeting(std::string_view clientName, std::uint32_t heartbeatMs = 0);

    /// False when the hub has ended the connection.
    bool send(protocol::ByteView bytes);
    /// One send() for each byte.
    bool sendByteByByte(protocol::ByteView bytes);
    template <typename F>
    bool sendFrame(F const& frame) {
        return send(encoded(frame));
    }
    /// What was sent has arrived in the other side's socket.
    bool arrived() const;

    /// Greets and waits for the WELCOME.
    bool greet(std::string_view clientName = "raw", std::uint32_t heartbeatMs = 0);
    /// Opens a topic for publishing; waits for the reply, and for the credit if it is good.
    Error open(std::uint32_t handle, std::string_view topic);
    Error subscribe(std::uint32_t id, std::string_view pattern, std::uint64_t credit = kUnlimited);
    Error unsubscribe(std::uint32_t id);
    /// One batch with the handle's next sequence. Does not look at the credit.
    bool publish(std::uint32_t handle, std::vector<std::string> const& payloads);
    Bytes publishBytes(std::uint32_t handle, std::vector<std::string> const& payloads);

    /// Reads until `condition` holds. False at the end of the stream or of the patience.
    template <typename Condition>
    bool readUntil(Condition condition) {
        auto const deadline = std::chrono::steady_clock::now() + kPatience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline || !readSome()) return false;
        }
        return true;
    }
    /// One read of at most `most` bytes; false at the end.
    bool readSome(std::size_t most = 64 * 1024);
    /// SO_RCVBUF from now on.
    void setReceiveBuffer(int bytes);
    /// Waits until the hub has sent `count` frames of that kind in all.
    template <typename F>
    bool waitFor(std::size_t count = 1) {
        return readUntil([&] { return transcript_.all<F>().size() >= count; });
    }
    bool waitForMessages(std::size_t count);
    /// Everything up to this number of the handle is confirmed.
    bool waitForConfirm(std::uint32_t handle, std::uint64_t sequence);
    /// Reads to the end of the stream; the hub's reason, if it gave one.
    std::optional<Error> waitForGoodbye();
    End waitForEnd();
    /// Is there something to read within `time`?
    bool readable(std::chrono::milliseconds time) const;

    /// No more will be sent.
    void finishSending();
    /// Closes with a RST.
    void reset();

    Transcript const& received() const { return transcript_; }
    End end() const { return end_; }
    std::size_t receivedBytes() const { return receivedBytes_; }
    std::uint16_t localPort() const;
    bool answersPings = true;

  private:
    void connectTo(sockaddr const* address, socklen_t size, std::string const& name);
    Error replyTo(std::uint32_t request);

    int fd_ = -1;
    End end_ = End::open;
    std::size_t receivedBytes_ = 0;
    std::size_t answered_ = 0;  // entries looked at for PINGs
    std::uint32_t requests_ = 0;
    std::map<std::uint32_t, std::uint64_t> sequences_;
    Transcript transcript_;
};

}  // namespace gazellemq::test
