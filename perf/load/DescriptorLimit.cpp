#include "DescriptorLimit.hpp"

#include <string>

#include <sys/resource.h>

#include "Failure.hpp"

namespace gazellemq::perf {
namespace {

/// For what a process has open beside its connections.
constexpr std::uint64_t kOthers = 50;

}  // namespace

void allowConnections(std::uint64_t connections) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (connections + kOthers <= limit.rlim_max) return;
    throw Failure{"a process may open only " + std::to_string(limit.rlim_max) + " descriptors, too few for " +
                  std::to_string(connections) + " connections; raise the limit (ulimit -Hn) or connect fewer"};
}

}  // namespace gazellemq::perf
