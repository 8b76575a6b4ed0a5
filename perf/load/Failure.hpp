#pragma once
#include <stdexcept>

namespace gazellemq::perf {

/// A run that cannot go on; what() is the sentence for the user.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace gazellemq::perf
