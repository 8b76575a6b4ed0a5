#pragma once
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "Descriptor.hpp"

namespace gazellemq::perf {

/// A blocking stream socket on this machine, as plain as the system gives it: the means of the relay and of
/// its raw publishers and subscribers. Addresses are "127.0.0.1:port" or the path of a Unix socket. A call
/// that takes longer than the timeout throws Failure, as does every error.
class RawSocket {
  public:
    /// Port 0: one chosen by the system.
    static RawSocket listen(std::string const& address, std::chrono::milliseconds timeout);
    static RawSocket connect(std::string const& address, std::chrono::milliseconds timeout);

    RawSocket accept() const;
    /// Where others reach it.
    std::string address() const;

    void writeAll(std::string_view bytes) const;
    /// Waits for some bytes and returns how many; 0 at the end.
    std::size_t readSome(std::span<char> buffer) const;
    /// No more writes: the other side reads to the end.
    void finishWriting() const;

    /// For poll() and the like.
    int descriptor() const { return fd_.get(); }

  private:
    RawSocket(int fd, std::chrono::milliseconds timeout);

    Descriptor fd_;
    std::chrono::milliseconds timeout_;
};

}  // namespace gazellemq::perf
