#pragma once
#include <string>

#include <sys/socket.h>

namespace gazellemq::perf {

/// The system's form of "127.0.0.1:port" or of the path of a Unix socket.
class SocketAddress {
  public:
    /// Throws Failure.
    explicit SocketAddress(std::string const& text);
    /// The address that the socket `fd` is bound to. Throws Failure.
    explicit SocketAddress(int fd);

    int family() const { return storage_.ss_family; }
    sockaddr const* data() const { return reinterpret_cast<sockaddr const*>(&storage_); }
    socklen_t size() const { return size_; }
    std::string text() const;

  private:
    sockaddr_storage storage_{};
    socklen_t size_ = 0;
};

}  // namespace gazellemq::perf
