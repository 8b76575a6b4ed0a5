#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "Batch.hpp"

namespace gazellemq::hub {

/// Writes batches that hold some messages of others, one behind the other into one vector. Their publisher's part is sealed anew: the
/// checksum of what is copied has been checked before.
class BatchCopy {
  public:
    explicit BatchCopy(std::vector<std::byte>& out) : out_(out) {}

    /// The next messages come from `source`, the first of them has that place in it.
    void begin(protocol::ByteView source, std::uint32_t place);
    /// A whole message, its length included.
    void add(protocol::ByteView message);
    /// Seals the batch: it lies in `out` from the position that this returns to the end.
    std::size_t end();
    std::uint32_t count() const { return count_; }

  private:
    std::vector<std::byte>& out_;
    std::size_t start_ = 0;
    std::uint32_t count_ = 0;
    std::uint64_t producerId_ = 0;
    std::uint64_t firstSequence_ = 0;
    std::uint16_t flags_ = 0;
};

}  // namespace gazellemq::hub
