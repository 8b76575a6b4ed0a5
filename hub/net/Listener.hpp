#pragma once
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "Stream.hpp"
#include "Url.hpp"

namespace gazellemq::hub {

/// Accepts connections on one address. Listens from construction on; lives on the hub's thread.
class Listener {
  public:
    /// Throws std::runtime_error naming the address and the remedy. Addresses other than loopback need `insecure`.
    Listener(boost::asio::io_context& loop, transport::Url url, bool insecure);

    /// Accepts until close(). Out of descriptors it waits a moment and tells `onProblem`, at most once a second.
    boost::asio::awaitable<void> run(std::function<void(std::shared_ptr<transport::Stream>)> onStream,
                                     std::function<void(std::string const&)> onProblem);
    void close();
    /// With the real port.
    transport::Url const& url() const { return url_; }

  private:
    transport::Url url_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
};

}  // namespace gazellemq::hub
