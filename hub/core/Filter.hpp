#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "Batch.hpp"
#include "Buffer.hpp"
#include "StoredBatch.hpp"

/// What looks inside batches for readers that do not get all messages of them. The rest is copied; messages that stood next to each other
/// stay in one batch, so that offsets and sequences are what they were. A batch that is damaged stays as it is: its receiver will tell.
namespace gazellemq::hub {

/// The least TTL of the messages, 0 if none expires; empty if the batch is damaged.
std::optional<std::uint32_t> leastTtlMs(protocol::ByteView batch);

/// Appends to `out` what is left when messages are left out, and returns how many were: those for which `keep` is false. It is given the
/// place of the message, and the reader that has just read it.
std::uint64_t filter(StoredBatch const& batch, protocol::BufferPool& pool, std::vector<StoredBatch>& out,
                     std::function<bool(std::uint32_t place, protocol::BatchReader const& reader)> const& keep);

/// filter() by time.
std::uint64_t withoutExpired(StoredBatch const& batch, std::int64_t nowMs, protocol::BufferPool& pool, std::vector<StoredBatch>& out);

/// filter() by place: from that one on.
void fromPlace(StoredBatch const& batch, std::uint64_t place, protocol::BufferPool& pool, std::vector<StoredBatch>& out);

/// Of `batches`, the oldest first, the newest message of each key; those without one count as of one key. Appends them to `out` and
/// returns the number of those left out.
std::uint64_t newestPerKey(std::span<StoredBatch const> batches, protocol::BufferPool& pool, std::vector<StoredBatch>& out);

/// A keyed batch by partitions: one batch for each that gets some, not stamped, and its number. Messages without a key go to `keyless`.
/// Empty if the batch is damaged.
struct Part {
    std::uint16_t partition;
    std::uint32_t count;
    std::vector<std::byte> bytes;
};
std::vector<Part> splitByKey(protocol::ByteView batch, std::uint16_t partitions, std::uint16_t keyless);

}  // namespace gazellemq::hub
