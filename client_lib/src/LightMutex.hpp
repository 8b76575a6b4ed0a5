#pragma once
#include <atomic>
#include <cstdint>

namespace gazellemq::client {

/// A mutex that costs one atomic operation to lock and a plain store to unlock, both inlined: publish() takes it for every
/// message, and pthread's was a quarter of a publisher's time. For short sections without system calls. A Lockable: use it
/// with std::unique_lock and std::condition_variable_any.
///
/// unlock() looks for sleepers without a fence (that is what makes it cheap), so it may miss one that is just falling
/// asleep: sleepers look again by themselves after kLookAgainNs.
class LightMutex {
  public:
    LightMutex() = default;
    LightMutex(LightMutex const&) = delete;
    LightMutex& operator=(LightMutex const&) = delete;

    void lock() noexcept {
        if (state_.exchange(kTaken, std::memory_order_acquire) != kFree) lockSlowly();
    }

    bool try_lock() noexcept {
        return state_.load(std::memory_order_relaxed) == kFree && state_.exchange(kTaken, std::memory_order_acquire) == kFree;
    }

    void unlock() noexcept {
        state_.store(kFree, std::memory_order_release);
        if (sleepers_.load(std::memory_order_relaxed) != 0) wakeOne();
    }

  private:
    static constexpr std::uint32_t kFree = 0;
    static constexpr std::uint32_t kTaken = 1;
    static constexpr long kLookAgainNs = 100'000;

    void lockSlowly() noexcept;
    void wakeOne() noexcept;

    std::atomic<std::uint32_t> state_{kFree};
    std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace gazellemq::client
