#include "LightMutex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace gazellemq::client {
namespace {

constexpr int kSpins = 50;

std::uint32_t* address(std::atomic<std::uint32_t>& word) {
    static_assert(sizeof word == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
    return reinterpret_cast<std::uint32_t*>(&word);
}

}  // namespace

void LightMutex::lockSlowly() noexcept {
    for (int i = 0; i < kSpins; ++i) {
        if (try_lock()) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    sleepers_.fetch_add(1);
    while (!try_lock()) {
        timespec const limit{0, kLookAgainNs};
        ::syscall(SYS_futex, address(state_), FUTEX_WAIT_PRIVATE, kTaken, &limit, nullptr, 0);
    }
    sleepers_.fetch_sub(1);
}

void LightMutex::wakeOne() noexcept { ::syscall(SYS_futex, address(state_), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

}  // namespace gazellemq::client
