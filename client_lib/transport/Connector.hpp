#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/system/result.hpp>

#include "Stream.hpp"
#include "Url.hpp"

namespace gazellemq::transport {

/// Finds the addresses of a host name; may block. A parameter so that tests can hang it.
using ResolveName =
    std::function<boost::system::result<std::vector<boost::asio::ip::address>>(std::string const& host)>;

/// getaddrinfo.
boost::system::result<std::vector<boost::asio::ip::address>> resolveBySystem(std::string const& host);

/// Connects to `url`, trying all its addresses in turn (`localhost`: 127.0.0.1, then ::1). Names are resolved on a detached
/// thread of their own, so that cancelling this, or the end of the program, never waits for a hanging resolver.
boost::asio::awaitable<boost::system::result<std::shared_ptr<Stream>>> connect(Url url, ResolveName resolveName);

}  // namespace gazellemq::transport
