#include "MessageContent.hpp"

#include <random>

namespace gazellemq::perf {

MessageContent::MessageContent(std::size_t size)
    : size_(size), bodyBytes_(size - kMinBytes), pattern_(size + kShifts, '\0') {
    std::minstd_rand random{5875};
    for (auto& byte : pattern_) byte = static_cast<char>(random() >> 8);
}

}  // namespace gazellemq::perf
