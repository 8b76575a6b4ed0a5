#pragma once

namespace gazellemq::transport {

/// For a thread that nobody will join: the shared library into which this code is linked, if it is one, stays in memory until the
/// calling thread has ended, although a dlclose() comes before.
void keepLoadedUntilThreadEnds();

}  // namespace gazellemq::transport
