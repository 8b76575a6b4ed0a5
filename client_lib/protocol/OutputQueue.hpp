#pragma once
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "Buffer.hpp"
#include "Bytes.hpp"
#include "Frame.hpp"

namespace gazellemq::protocol {

/// What one connection is going to write next, as pieces that are not copied: short headers held here, and parts of
/// Buffers held by reference. The owner pushes until there is enough for one gathered write, then
///
///     auto pieces = queue.gather();  n = send(pieces);  queue.consume(n);
///
/// Nothing may be pushed between gather() and consume(): the iovecs point into the queue. One thread at a time.
class OutputQueue {
  public:
    /// From so many pieces on the queue has no room for more.
    static constexpr std::size_t kMaxPieces = 512;

    /// The 16 bytes in front of a data frame.
    void pushDataHeader(FrameType type, std::uint32_t first, std::uint32_t second, std::size_t batchBytes);
    /// `bytes` lie in `owner`.
    void push(BufferRef owner, ByteView bytes);
    /// Takes over whole control frames.
    void push(std::vector<std::byte>&& frames);

    std::span<iovec const> gather();
    void consume(std::size_t bytes);

    std::size_t bytes() const { return bytes_; }
    bool empty() const { return bytes_ == 0; }
    bool hasRoom() const { return pieces_.size() - head_ < kMaxPieces; }
    /// Forgets everything (the connection is gone).
    void clear();

  private:
    struct Piece {
        BufferRef owner;
        std::vector<std::byte> frames;
        std::array<std::byte, kDataHeaderBytes> header;
        std::byte const* data;  // nullptr: `header`
        std::size_t size;
    };

    std::vector<Piece> pieces_;
    std::size_t head_ = 0;      // first piece not wholly written
    std::size_t written_ = 0;   // bytes of it that are
    std::size_t bytes_ = 0;
    std::vector<iovec> iovecs_;
};

}  // namespace gazellemq::protocol
