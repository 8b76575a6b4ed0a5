#include "Connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>

#include "Clock.hpp"

namespace gazellemq::hub {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using boost::system::error_code;
using protocol::FrameReader;

constexpr std::size_t kMaxHelloFrameBytes = 4096;
/// Reads and writes of one connection in one turn, so that the others get theirs.
constexpr int kReadsPerTurn = 2;
constexpr int kWritesPerTurn = 4;
/// For the last frames of a connection that ends, and then for the peer to close its side.
constexpr auto kGoodbyeLimit = 1s;

}  // namespace

Connection::Connection(asio::io_context& loop, Broker& broker, std::shared_ptr<transport::Stream> stream)
    : loop_(loop),
      broker_(broker),
      stream_(std::move(stream)),
      session_(broker.open(stream_->peer())),
      reader_(broker.pool().shared_from_this(), kMaxHelloFrameBytes),
      goodbyeLimit_(loop) {}

asio::awaitable<void> Connection::run() {
    auto const self = shared_from_this();
    while (!broken_) {
        if (co_await stream_->waitReadable()) break;
        broker_.setNow(readClocks());
        if (!(session_.closing() ? discardSome() : readSome())) break;
    }
}

bool Connection::readSome() {
    for (int i = 0; i < kReadsPerTurn; ++i) {
        auto const room = reader_.prepare();
        auto const received = stream_->tryRead(room);
        if (!received) {
            if (received.error() != asio::error::would_block) return false;
            break;
        }
        reader_.commit(*received);
        session_.heard();
        if (!greeted_ && !checkMagic()) {
            if (session_.closing()) return true;
            break;
        }
        protocol::Frame frame;
        FrameReader::Step step{};
        while ((step = reader_.next(frame)) == FrameReader::Step::frame) {
            if (!session_.receive(frame, reader_.buffer())) return true;
            reader_.setMaxFrameBytes(broker_.limits().maxFrameBytes());
        }
        if (step == FrameReader::Step::tooLarge) {
            session_.fail(Error::tooLarge, "a frame is larger than maxFrameBytes of the WELCOME");
            return true;
        }
        if (*received < room.size()) break;
    }
    reader_.rest();
    return true;
}

/// True when the connection has begun with the magic of this version.
bool Connection::checkMagic() {
    auto const bytes = reader_.unread();
    auto const have = std::min(bytes.size(), protocol::kMagic.size());
    auto const versionAt = protocol::kMagic.size() - 2;
    if (std::memcmp(bytes.data(), protocol::kMagic.data(), std::min(have, versionAt)) != 0) {
        session_.abort();
        broker_.wake(session_);
        return false;
    }
    if (have < protocol::kMagic.size()) return false;
    if (std::memcmp(bytes.data(), protocol::kMagic.data(), have) != 0) {
        session_.fail(Error::versionUnsupported, "this hub speaks version 1 of the protocol");
        return false;
    }
    reader_.skip(have);
    return greeted_ = true;
}

void Connection::write() {
    for (int i = 0; i < kWritesPerTurn && !waitsToWrite_ && !broken_; ++i) {
        auto& out = session_.output();
        if (out.empty()) break;
        auto const wanted = out.bytes();
        auto const written = stream_->tryWrite(out.gather());
        if (written) out.consume(*written);
        if (!written && written.error() != asio::error::would_block) {
            broken_ = true;
            stream_->shutdown();
        } else if (!written || *written < wanted) {
            waitsToWrite_ = true;
            asio::co_spawn(loop_, [self = shared_from_this()] { return self->writeWhenWritable(); }, asio::detached);
        }
    }
    if (session_.closing()) return end();
    // More to say, and the socket may take it: after the others had their turn.
    if (!waitsToWrite_ && !broken_ && session_.hasOutput()) broker_.wake(session_);
}

asio::awaitable<void> Connection::writeWhenWritable() {
    auto const error = co_await stream_->waitWritable();
    waitsToWrite_ = false;
    if (error || broken_) co_return;
    broker_.setNow(readClocks());
    write();
}

/// The session has ended. Its last frames go out, then the peer closes: closing first, with unread bytes, would reset the
/// connection and the peer might never see the goodbye. A peer that does neither is cut at the limit.
void Connection::end() {
    if (session_.finished()) stream_->shutdownWrite();
    if (ending_) return;
    ending_ = true;
    goodbyeLimit_.expires_after(kGoodbyeLimit);
    goodbyeLimit_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->cut();
    });
}

/// False at the end of the stream.
bool Connection::discardSome() {
    std::array<std::byte, 4096> waste;
    for (int i = 0; i < kReadsPerTurn; ++i) {
        auto const received = stream_->tryRead(waste);
        if (!received) return received.error() == asio::error::would_block;
    }
    return true;
}

}  // namespace gazellemq::hub
