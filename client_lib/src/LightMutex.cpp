#include "LightMutex.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace gazellemq::client {
namespace {

constexpr int kSpins = 50;
constexpr long kLookAgainNs = 100'000;
/// So many times in a row make a favourite: few enough to be worth it between two visits of the link's thread.
constexpr std::uint32_t kFavouriteAfter = 64;

void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }

bool registerMembarrier() noexcept { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

std::atomic<bool> canWithdraw{false};

/// Every thread of this process has passed a full memory barrier when this returns.
void barrierEverywhere() noexcept {
    while (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) {
        // A forked child registers anew; what a sandbox has forbidden meanwhile, time does: no store waits so long.
        timespec const longEnough{0, 10'000'000};
        if (!registerMembarrier()) {
            ::nanosleep(&longEnough, nullptr);
            return;
        }
    }
}

std::uint32_t* address(std::atomic<std::uint32_t>& word) {
    static_assert(sizeof word == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
    return reinterpret_cast<std::uint32_t*>(&word);
}

}  // namespace

void LightMutex::allowFavourites() noexcept {
    static bool const registered = registerMembarrier();
    canWithdraw.store(registered, std::memory_order_release);
}

bool LightMutex::tryTake() noexcept {
    return state_.load(std::memory_order_relaxed) == kFree && state_.exchange(kTaken, std::memory_order_acquire) == kFree;
}

void LightMutex::lockAsOthers(pthread_t self) noexcept {
    for (int i = 0; !tryTake(); ++i) {
        if (i < kSpins) {
            pause();
            continue;
        }
        sleepers_.fetch_add(1);
        while (!tryTake()) sleep(state_);
        sleepers_.fetch_sub(1);
        break;
    }
    if (favourite_.load(std::memory_order_relaxed) != kNobody) withdrawFavour();
    inARow_ = lastHolder_ == self ? inARow_ + 1 : 0;
    lastHolder_ = self;
    if (inARow_ != kFavouriteAfter || !canWithdraw.load(std::memory_order_acquire)) return;
    if (chosen_ == kNobody) chosen_ = self;
    if (chosen_ == self) favourite_.store(self, std::memory_order_relaxed);
}

/// With state_ taken. Afterwards the favourite is out, and takes state_ like everybody before it comes in again.
void LightMutex::withdrawFavour() noexcept {
    withdrawing_.store(true, std::memory_order_relaxed);
    favourite_.store(kNobody, std::memory_order_relaxed);
    barrierEverywhere();
    for (int i = 0; inside_.load(std::memory_order_acquire) != 0; ++i) {
        if (i < kSpins) {
            pause();
        } else {
            sleep(inside_);
        }
    }
    withdrawing_.store(false, std::memory_order_relaxed);
}

void LightMutex::sleep(Word& word) noexcept {
    timespec const limit{0, kLookAgainNs};
    ::syscall(SYS_futex, address(word), FUTEX_WAIT_PRIVATE, kTaken, &limit, nullptr, 0);
}

void LightMutex::wakeOne(Word& word) noexcept { ::syscall(SYS_futex, address(word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

}  // namespace gazellemq::client
