#pragma once
#include <cstdint>

namespace gazellemq::client {

/// Numbers of the publishers of this process. The upper 48 bits are random and the process's own, also after a fork. Any thread.
class ProducerIds {
  public:
    /// With the lower 16 bits 0.
    static std::uint64_t ofProcess();
    static std::uint64_t next();
};

}  // namespace gazellemq::client
