#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "Bytes.hpp"

namespace gazellemq::protocol {

/// A batch: the unit that is published, stored and delivered. Its bytes are the same on the way in, in the log and on the way out.
///
///      0        8        16   18   20       24      28     32     36   38   40           48          56
///     +--------+--------+----+----+--------+-------+------+------+----+----+------------+-----------+------
///     | base   | receive| par| att| hub    | crc32c| body | count| fla| 0  | producer   | first     | body
///     | offset | time ns| tit| em.| check  |       | bytes|      | gs |    | id         | sequence  |
///     +--------+--------+----+----+--------+-------+------+------+----+----+------------+-----------+------
///     |<-- written by the hub (24 bytes) ->|<-- written by the publisher; crc32c covers the bytes from 28 to the end -->|
///
/// Body: `count` times a u32 length and as many bytes (0 is legal): the payload. With kHeadersFlag, all messages of the batch begin with the
/// length of their headers (u16, 0 is legal) and these (see MessageHeaders), and the payload is the rest. A flag that a receiver does not know
/// makes the batch unreadable to it.
struct BatchHeader {
    static constexpr std::size_t kBytes = 56;
    static constexpr std::size_t kHubBytes = 24;
    static constexpr std::size_t kCheckedFrom = 28;
    static constexpr std::size_t kLengthBytes = 4;
    static constexpr std::size_t kHeadersLengthBytes = 2;
    static constexpr std::size_t kFlagsAt = 36;
    static constexpr std::size_t kSequenceAt = 48;

    static constexpr std::uint16_t kHeadersFlag = 1;
    static constexpr std::uint16_t kKeysFlag = 2;  ///< a message has a key; never without kHeadersFlag
    static constexpr std::uint16_t kTtlFlag = 4;   ///< a message expires; never without kHeadersFlag
    static constexpr std::uint16_t kKnownFlags = kHeadersFlag | kKeysFlag | kTtlFlag;

    std::uint64_t baseOffset = 0;     ///< offset of the first message in its topic
    std::int64_t receiveTimeNs = 0;   ///< hub's clock, since the Unix epoch
    std::uint16_t partition = 0;
    std::uint16_t attempts = 0;
    std::uint32_t crc = 0;
    std::uint32_t bodyBytes = 0;
    std::uint32_t count = 0;
    std::uint16_t flags = 0;
    std::uint64_t producerId = 0;
    std::uint64_t firstSequence = 0;  ///< of the first message, per producer and topic, from 1

    std::size_t totalBytes() const { return kBytes + std::size_t{bodyBytes}; }
    bool hasKeys() const { return (flags & kKeysFlag) != 0; }
    bool hasTtl() const { return (flags & kTtlFlag) != 0; }

    /// Reads the header at the start of `bytes` and checks what can be checked without the body: that the batch is inside
    /// `bytes`, is not empty, has only known flags that go together, and room for `count` lengths. Empty if not.
    static std::optional<BatchHeader> decode(ByteView bytes) noexcept;
};

/// Writes the publisher's part of the header and the checksum in front of a finished body. `batch` points at
/// kBytes + bodyBytes bytes. The hub's part is zeroed.
void sealBatch(std::byte* batch, std::uint32_t bodyBytes, std::uint32_t count, std::uint64_t producerId,
               std::uint64_t firstSequence, std::uint16_t flags = 0) noexcept;

/// Writes the hub's part, with its small checksum, into a batch.
void stampBatch(std::byte* batch, std::uint64_t baseOffset, std::int64_t receiveTimeNs, std::uint16_t partition = 0) noexcept;

inline std::uint64_t producerOf(std::byte const* batch) noexcept { return load<std::uint64_t>(batch + 40); }

/// Does the publisher's checksum fit the bytes? `batch` is exactly one decoded batch.
bool checksumFits(ByteView batch) noexcept;
/// Does the hub's?
bool hubChecksumFits(ByteView batch) noexcept;

/// Walks the messages of one batch.
///
///     for (BatchReader reader{batch}; auto payload = reader.next();) use(*payload);
///
/// Never reads outside `batch`; `intact()` after the walk tells whether lengths and count fitted the body exactly.
class BatchReader {
  public:
    /// `batch` starts with a decoded header and is totalBytes() long.
    explicit BatchReader(ByteView batch) noexcept
        : at_(batch.data() + BatchHeader::kBytes),
          end_(batch.data() + batch.size()),
          left_(load<std::uint32_t>(batch.data() + 32)),
          hasHeaders_((load<std::uint16_t>(batch.data() + BatchHeader::kFlagsAt) & BatchHeader::kHeadersFlag) != 0) {}

    /// The payload of the next message.
    std::optional<ByteView> next() noexcept {
        if (left_ == 0 || static_cast<std::size_t>(end_ - at_) < BatchHeader::kLengthBytes) return std::nullopt;
        std::size_t const length = load<std::uint32_t>(at_);
        if (static_cast<std::size_t>(end_ - at_) - BatchHeader::kLengthBytes < length) return std::nullopt;
        ByteView payload{at_ + BatchHeader::kLengthBytes, length};
        if (hasHeaders_ && !cutHeaders(payload)) return std::nullopt;
        begin_ = at_;
        at_ += BatchHeader::kLengthBytes + length;
        --left_;
        return payload;
    }
    /// Of the message that next() gave: its encoded headers, and all of its bytes from its length on.
    ByteView headers() const noexcept { return headers_; }
    ByteView whole() const noexcept { return {begin_, at_}; }

    bool intact() const noexcept { return left_ == 0 && at_ == end_; }

  private:
    bool cutHeaders(ByteView& payload) noexcept {
        constexpr auto kLength = BatchHeader::kHeadersLengthBytes;
        if (payload.size() < kLength) return false;
        std::size_t const bytes = load<std::uint16_t>(payload.data());
        if (payload.size() - kLength < bytes) return false;
        headers_ = payload.subspan(kLength, bytes);
        payload = payload.subspan(kLength + bytes);
        return true;
    }

    std::byte const* at_;
    std::byte const* end_;
    std::byte const* begin_ = nullptr;
    ByteView headers_;
    std::uint32_t left_;
    bool hasHeaders_;
};

}  // namespace gazellemq::protocol
