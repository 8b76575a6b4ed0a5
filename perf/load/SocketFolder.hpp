#pragma once
#include <filesystem>

#include "Route.hpp"

namespace gazellemq::perf {

/// A folder for the Unix sockets of one run; it disappears with this object. For TCP there is none.
class SocketFolder {
  public:
    /// Throws Failure.
    explicit SocketFolder(Transport transport);
    ~SocketFolder();
    SocketFolder(SocketFolder const&) = delete;
    SocketFolder& operator=(SocketFolder const&) = delete;

    /// Where to listen, for RawSocket: a socket of this name, or a port of the loopback interface.
    std::string address(std::string const& name) const;
    /// The same as a hub's URL.
    std::string url(std::string const& name) const;

  private:
    std::filesystem::path path_;  // empty for TCP
};

}  // namespace gazellemq::perf
