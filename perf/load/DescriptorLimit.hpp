#pragma once
#include <cstdint>

namespace gazellemq::perf {

/// Lets this process and those that it starts from now on open as many descriptors as the system allows
/// without asking anybody, and makes sure that this is enough for `connections` in one process. Throws Failure.
void allowConnections(std::uint64_t connections);

}  // namespace gazellemq::perf
