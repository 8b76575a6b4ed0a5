#include "ProducerIds.hpp"

#include <atomic>
#include <random>

#include "ControlFrames.hpp"
#include "Fork.hpp"

namespace gazellemq::client {
namespace {

constexpr std::uint64_t kObjects = (std::uint64_t{1} << protocol::kObjectBits) - 1;

}  // namespace

std::uint64_t ProducerIds::ofProcess() {
    // The lower bits tell for which process, counted by forks, the others were drawn. Without a lock: a fork could leave it taken.
    static std::atomic<std::uint64_t> drawn{0};
    auto const process = (std::uint64_t{ForkCount::now()} + 1) & kObjects;
    auto known = drawn.load();
    while (known == 0 || (known & kObjects) != process) {
        std::random_device source;
        auto const fresh = (((std::uint64_t{source()} << 32) | source()) & ~kObjects) | process;
        if (drawn.compare_exchange_strong(known, fresh)) known = fresh;
    }
    return known & ~kObjects;
}

std::uint64_t ProducerIds::next() {
    static std::atomic<std::uint64_t> objects{0};
    return ofProcess() | (objects.fetch_add(1) & kObjects);
}

}  // namespace gazellemq::client
