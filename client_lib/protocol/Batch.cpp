#include "Batch.hpp"

#include <cstring>

#include "Checksum.hpp"

namespace gazellemq::protocol {
namespace {

constexpr std::size_t kHubCheckAt = 20;
constexpr std::size_t kCrcAt = 24;

}  // namespace

std::optional<BatchHeader> BatchHeader::decode(ByteView bytes) noexcept {
    if (bytes.size() < kBytes) return std::nullopt;
    auto const* at = bytes.data();
    BatchHeader header;
    header.baseOffset = load<std::uint64_t>(at);
    header.receiveTimeNs = load<std::int64_t>(at + 8);
    header.partition = load<std::uint16_t>(at + 16);
    header.attempts = load<std::uint16_t>(at + 18);
    header.crc = load<std::uint32_t>(at + kCrcAt);
    header.bodyBytes = load<std::uint32_t>(at + 28);
    header.count = load<std::uint32_t>(at + 32);
    header.flags = load<std::uint16_t>(at + kFlagsAt);
    header.producerId = load<std::uint64_t>(at + 40);
    header.firstSequence = load<std::uint64_t>(at + 48);
    auto const perMessage = kLengthBytes + (header.flags == 0 ? 0 : kHeadersLengthBytes);
    if (bytes.size() - kBytes < header.bodyBytes || header.count == 0 || (header.flags & ~kKnownFlags) != 0 ||
        (header.flags != 0 && (header.flags & kHeadersFlag) == 0) || std::uint64_t{header.count} * perMessage > header.bodyBytes) {
        return std::nullopt;
    }
    return header;
}

void sealBatch(std::byte* batch, std::uint32_t bodyBytes, std::uint32_t count, std::uint64_t producerId,
               std::uint64_t firstSequence, std::uint16_t flags) noexcept {
    std::memset(batch, 0, BatchHeader::kHubBytes);
    store(batch + 28, bodyBytes);
    store(batch + 32, count);
    store(batch + BatchHeader::kFlagsAt, std::uint32_t{flags});  // and the reserved field
    store(batch + 40, producerId);
    store(batch + 48, firstSequence);
    auto const checked = BatchHeader::kBytes - BatchHeader::kCheckedFrom + bodyBytes;
    store(batch + kCrcAt, crc32c({batch + BatchHeader::kCheckedFrom, checked}));
}

void stampBatch(std::byte* batch, std::uint64_t baseOffset, std::int64_t receiveTimeNs, std::uint16_t partition) noexcept {
    store(batch, baseOffset);
    store(batch + 8, receiveTimeNs);
    store(batch + 16, std::uint32_t{partition});  // and attempts
    store(batch + kHubCheckAt, crc32c({batch, kHubCheckAt}));
}

bool checksumFits(ByteView batch) noexcept {
    return load<std::uint32_t>(batch.data() + kCrcAt) == crc32c(batch.subspan(BatchHeader::kCheckedFrom));
}

bool hubChecksumFits(ByteView batch) noexcept {
    return load<std::uint32_t>(batch.data() + kHubCheckAt) == crc32c(batch.first(kHubCheckAt));
}

}  // namespace gazellemq::protocol
