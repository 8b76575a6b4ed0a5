#pragma once
#include <string>

#include "Failure.hpp"
#include "gazellemq/Error.hpp"

namespace gazellemq::perf {

/// Throws Failure, with `what` and the reason, unless `error` is ok.
inline void require(Error error, std::string const& what) {
    if (error != Error::ok) throw Failure{what + ": " + std::string{describe(error)}};
}

}  // namespace gazellemq::perf
