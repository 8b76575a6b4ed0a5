#pragma once
#include <cstdint>

namespace gazellemq::hub {

/// A descriptor kept for the moment when there are no more: given up, it lets the hub accept a connection only to close it, so that
/// the newcomer is refused at once instead of waiting in the queue.
class SpareDescriptor {
  public:
    SpareDescriptor();
    ~SpareDescriptor();
    SpareDescriptor(SpareDescriptor const&) = delete;
    SpareDescriptor& operator=(SpareDescriptor const&) = delete;

    enum class Away : std::uint8_t { one, nobodyWaits, failed };
    /// Accepts one waiting connection on `listener`, which does not block, and closes it.
    Away turnAway(int listener);

  private:
    void open();
    void close();

    int descriptor_ = -1;
};

}  // namespace gazellemq::hub
