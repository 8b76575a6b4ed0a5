#pragma once
#include <atomic>
#include <cstdint>

namespace gazellemq::client {

/// A mutex that costs one atomic operation to lock and one to unlock when nobody else wants it, both inlined: publish() takes it
/// for every message, and pthread's was a quarter of a publisher's time. Waiters sleep in the kernel. The algorithm is mutex2 of
/// Ulrich Drepper, "Futexes Are Tricky" (2011). A Lockable: use it with std::unique_lock and std::condition_variable_any.
class LightMutex {
  public:
    LightMutex() = default;
    LightMutex(LightMutex const&) = delete;
    LightMutex& operator=(LightMutex const&) = delete;

    void lock() noexcept {
        if (!try_lock()) lockSlowly();
    }

    bool try_lock() noexcept {
        auto expected = kFree;
        return state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire, std::memory_order_relaxed);
    }

    void unlock() noexcept {
        if (state_.exchange(kFree, std::memory_order_release) == kWanted) state_.notify_one();
    }

  private:
    static constexpr std::uint32_t kFree = 0;
    static constexpr std::uint32_t kTaken = 1;
    static constexpr std::uint32_t kWanted = 2;  // taken, and somebody may be asleep

    void lockSlowly() noexcept {
        while (state_.exchange(kWanted, std::memory_order_acquire) != kFree) state_.wait(kWanted, std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace gazellemq::client
