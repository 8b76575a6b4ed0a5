#include "Fork.hpp"

#include <pthread.h>

namespace gazellemq::client {

std::atomic<std::uint32_t> ForkCount::count_{0};

// getpid() for every publish() would be a system call each; the C library tells the child once.
bool const ForkCount::registered_ =
    ::pthread_atfork(nullptr, nullptr, [] { count_.fetch_add(1, std::memory_order_relaxed); }) == 0;

}  // namespace gazellemq::client
