#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "Buffer.hpp"
#include "Frame.hpp"
#include "gazellemq/Error.hpp"

namespace gazellemq::protocol {

/// Cuts a byte stream into frames, in place. One per connection, owned by the thread that reads. It is driven by four calls:
///
///     auto room = reader.prepare();            // where the next bytes go
///     reader.commit(received);                 // so many arrived
///     while (reader.next(frame) == Step::frame) use(frame, reader.buffer());
///     reader.rest();                           // nothing more to read for now
///
/// Frames lie in reader.buffer(): whoever keeps a part of one keeps a BufferRef. A partial frame is moved to the next buffer's front
/// when its buffer ends; a frame larger than a slab gets a buffer that grows as its bytes arrive, at most twice their number.
class FrameReader {
  public:
    enum class Step : std::uint8_t { frame, needMore, tooLarge };

    FrameReader(std::shared_ptr<BufferPool> pool, std::size_t maxFrameBytes)
        : pool_(std::move(pool)), maxFrameBytes_(maxFrameBytes) {}

    std::span<std::byte> prepare();
    void commit(std::size_t received) { end_ += received; }
    /// tooLarge: the next frame announces more than `maxFrameBytes` (header included); the stream cannot go on.
    Step next(Frame& frame);
    /// Gives the buffer back if nothing is in it, and moves a short partial frame into a small one, so that an idle or dripping
    /// connection holds little memory.
    void rest();

    /// The buffer that the last frame lies in.
    BufferRef const& buffer() const { return buffer_; }
    /// Drops `bytes` that are not frames (the magic) from the front. Only if unread() has as many.
    void skip(std::size_t bytes) { begin_ += bytes; }
    /// What arrived and was not cut yet.
    ByteView unread() const;
    void setMaxFrameBytes(std::size_t bytes) { maxFrameBytes_ = bytes; }

  private:
    void moveTo(std::size_t capacity);
    std::size_t neededForNextFrame() const;

    std::shared_ptr<BufferPool> pool_;
    std::size_t maxFrameBytes_;
    BufferRef buffer_;
    std::size_t begin_ = 0;  // first byte not given out
    std::size_t end_ = 0;    // first free byte
};

}  // namespace gazellemq::protocol
