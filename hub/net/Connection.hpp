#pragma once
#include <functional>
#include <memory>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "Broker.hpp"
#include "FrameReader.hpp"
#include "Session.hpp"
#include "Stream.hpp"

namespace gazellemq::hub {

/// Moves bytes between one socket and its Session: reads what is there, writes what the session has. Lives on the
/// hub's thread, as long as run() runs or a write waits.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(boost::asio::io_context& loop, Broker& broker, std::shared_ptr<transport::Stream> stream);

    /// Serves the connection until it ends.
    boost::asio::awaitable<void> run();
    /// Writes what the session has to say, as far as the socket takes it.
    void write();
    /// Cuts the connection.
    void cut() { stream_->shutdown(); }
    /// The session is about to go: nothing touches it any more.
    void abandon() {
        broken_ = true;
        stream_->shutdown();
        goodbyeLimit_.cancel();
    }
    Session& session() { return session_; }

  private:
    bool readSome();
    bool checkMagic();
    boost::asio::awaitable<void> writeWhenWritable();
    void end();
    bool discardSome();

    boost::asio::io_context& loop_;
    Broker& broker_;
    std::shared_ptr<transport::Stream> stream_;
    Session& session_;
    protocol::FrameReader reader_;
    bool greeted_ = false;       // the magic was read
    bool waitsToWrite_ = false;  // the socket is full
    bool broken_ = false;        // the stream is of no more use
    bool ending_ = false;        // the session has ended, the goodbye is on its way
    boost::asio::steady_timer goodbyeLimit_;
};

}  // namespace gazellemq::hub
