#include "KeepLoaded.hpp"

#include <cxxabi.h>

/// The compiler's name for the program or library that this file is linked into.
extern "C" void* __dso_handle __attribute__((visibility("hidden")));

namespace gazellemq::transport {

// The loader keeps a library as long as a thread has thread_local objects of it to destroy, which is the last thing a thread does.
void keepLoadedUntilThreadEnds() { abi::__cxa_thread_atexit([](void*) {}, nullptr, &__dso_handle); }

}  // namespace gazellemq::transport
