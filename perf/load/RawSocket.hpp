#pragma once
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "Descriptor.hpp"

namespace gazellemq::perf {

/// A blocking TCP socket on loopback, as plain as the system gives it: the means of the relay and of its raw
/// publisher and subscribers. A call that takes longer than the timeout throws Failure, as does every error.
class RawSocket {
  public:
    static RawSocket listen(std::chrono::milliseconds timeout);
    static RawSocket connect(std::uint16_t port, std::chrono::milliseconds timeout);

    RawSocket accept() const;
    /// The local port.
    std::uint16_t port() const;

    void writeAll(std::string_view bytes) const;
    /// Waits for some bytes and returns how many; 0 at the end.
    std::size_t readSome(std::span<char> buffer) const;
    /// No more writes: the other side reads to the end.
    void finishWriting() const;

  private:
    RawSocket(int fd, std::chrono::milliseconds timeout);

    Descriptor fd_;
    std::chrono::milliseconds timeout_;
};

}  // namespace gazellemq::perf
