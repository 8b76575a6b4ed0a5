#pragma once
#include <atomic>
#include <cstdint>

namespace gazellemq::client {

/// Counts the fork()s between the program's start and this process. A client made under another number has its threads in the
/// parent: none of its calls may wait for them or take its lock, which a lost thread may hold. Any thread.
class ForkCount {
  public:
    static std::uint32_t now() noexcept { return count_.load(std::memory_order_relaxed); }

  private:
    static std::atomic<std::uint32_t> count_;
    static bool const registered_;
};

}  // namespace gazellemq::client
