#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "SpareDescriptor.hpp"
#include "Stream.hpp"
#include "Url.hpp"

namespace gazellemq::hub {

/// Accepts connections on one TCP address or Unix socket. Listens from construction on; lives on the hub's thread. A socket file is
/// removed at close().
class Listener {
  public:
    /// Throws std::runtime_error naming the address and the remedy. Addresses other than loopback need `insecure`.
    Listener(boost::asio::io_context& loop, transport::Url url, bool insecure);
    ~Listener();
    Listener(Listener const&) = delete;
    Listener& operator=(Listener const&) = delete;

    /// Accepts until close(). Out of descriptors it turns newcomers away with its spare one, calmly, and tells `onProblem` at most
    /// once a second.
    boost::asio::awaitable<void> run(std::function<void(std::shared_ptr<transport::Stream>)> onStream,
                                     std::function<void(std::string const&)> onProblem);
    void close();
    /// With the real port.
    transport::Url const& url() const { return url_; }

  private:
    using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

    void listenOnTcp(boost::asio::io_context& loop, bool insecure);
    void listenOnUnix();
    void removeStaleFile() const;

    transport::Url url_;
    Acceptor acceptor_;
    boost::asio::steady_timer pause_;
    SpareDescriptor spare_;
    dev_t fileDevice_ = 0;  // of the socket file that is ours
    ino_t fileInode_ = 0;
};

}  // namespace gazellemq::hub
