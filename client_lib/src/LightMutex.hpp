#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace gazellemq::client {

/// A mutex for a lock that one thread takes for every message and others now and then. publish() is that thread: an ordinary
/// mutex is a quarter of its time, an atomic exchange still a tenth. A Lockable: use it with std::unique_lock and
/// std::condition_variable_any. For short sections without system calls.
///
/// The first thread that takes it many times in a row becomes its favourite: for it, locking is a store and a load, unlocking a
/// store, no atomic operation. Any other thread first withdraws the favour: it makes the favourite's processor pass a memory
/// barrier (membarrier(2), a few microseconds), then waits until it is out. The same thread may win it back, no other can ever
/// have it: the favourite may be put to sleep between looking whether it is still that and saying that it is inside, and would
/// then speak for its successor. Biased locking as in Dice, Moir, Scherer: "Quickly Reacquirable Locks" (2003). Where there is
/// no membarrier nobody becomes the favourite.
///
/// unlock() looks for sleepers without a fence, so it may miss one that is just falling asleep: sleepers look again by
/// themselves after kLookAgainNs.
class LightMutex {
  public:
    /// Registers the process for membarrier; takes milliseconds, once. Until then nobody becomes the favourite.
    static void allowFavourites() noexcept;

    LightMutex() = default;
    LightMutex(LightMutex const&) = delete;
    LightMutex& operator=(LightMutex const&) = delete;

    void lock() noexcept {
        auto const self = ::pthread_self();
        if (favourite_.load(std::memory_order_relaxed) == self) {
            inside_.store(1, std::memory_order_relaxed);
            // The processor may still do the load before the store; who withdraws the favour forces it not to.
            std::atomic_signal_fence(std::memory_order_seq_cst);
            if (favourite_.load(std::memory_order_relaxed) == self) [[likely]] {
                heldByFavourite_ = true;
                return;
            }
            leave();
        }
        lockAsOthers(self);
    }

    void unlock() noexcept {
        if (heldByFavourite_) {
            heldByFavourite_ = false;
            leave();
        } else {
            state_.store(kFree, std::memory_order_release);
            if (sleepers_.load(std::memory_order_relaxed) != 0) wakeOne(state_);
        }
    }

  private:
    using Word = std::atomic<std::uint32_t>;
    static constexpr std::uint32_t kFree = 0;
    static constexpr std::uint32_t kTaken = 1;
    static constexpr pthread_t kNobody = 0;

    void leave() noexcept {
        inside_.store(0, std::memory_order_release);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (withdrawing_.load(std::memory_order_relaxed)) [[unlikely]] wakeOne(inside_);
    }
    bool tryTake() noexcept;
    void lockAsOthers(pthread_t self) noexcept;
    void withdrawFavour() noexcept;
    static void sleep(Word& word) noexcept;
    static void wakeOne(Word& word) noexcept;

    std::atomic<pthread_t> favourite_{kNobody};  // chosen_ or nobody; changed by the holder only
    Word inside_{0};                             // the favourite is between lock() and unlock(), or trying; only it writes this
    std::atomic<bool> withdrawing_{false};
    bool heldByFavourite_ = false;               // guarded by the lock itself, as are the next three
    pthread_t chosen_ = kNobody;                 // who was the favourite once
    std::uint32_t inARow_ = 0;
    pthread_t lastHolder_ = kNobody;
    Word state_{kFree};                          // for all but the favourite
    Word sleepers_{0};
};

}  // namespace gazellemq::client
