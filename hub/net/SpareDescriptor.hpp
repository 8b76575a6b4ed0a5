#pragma once

namespace gazellemq::hub {

/// A descriptor kept for the moment when there are no more: given up, it lets the hub accept a connection only to close it, so that
/// the newcomer is refused at once instead of waiting in the queue.
class SpareDescriptor {
  public:
    SpareDescriptor();
    ~SpareDescriptor();
    SpareDescriptor(SpareDescriptor const&) = delete;
    SpareDescriptor& operator=(SpareDescriptor const&) = delete;

    /// Accepts one waiting connection on `listener` and closes it. False if none waited or no descriptor could be had.
    bool turnAway(int listener);

  private:
    void open();
    void close();

    int descriptor_ = -1;
};

}  // namespace gazellemq::hub
