#pragma once
#include "Now.hpp"

namespace gazellemq::hub {

/// Reads both clocks.
Now readClocks();

}  // namespace gazellemq::hub
