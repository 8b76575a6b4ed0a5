#include "FrameReader.hpp"

#include <algorithm>
#include <cstring>

namespace gazellemq::protocol {
namespace {

constexpr std::size_t kSmallRemainder = 4 * 1024;

}  // namespace

ByteView FrameReader::unread() const {
    return buffer_ ? ByteView{buffer_->data() + begin_, end_ - begin_} : ByteView{};
}

std::size_t FrameReader::neededForNextFrame() const {
    auto const bytes = unread();
    if (bytes.size() < kFrameHeaderBytes) return kFrameHeaderBytes;
    return kFrameHeaderBytes + load<std::uint32_t>(bytes.data());
}

/// Puts the unread bytes at the front of a buffer of `capacity`, the present one if it is fit and nobody else uses it.
void FrameReader::moveTo(std::size_t capacity) {
    auto const bytes = unread();
    auto const size = bytes.size();
    if (buffer_ && buffer_->capacity() == capacity && buffer_->unique()) {
        if (begin_ > 0 && size > 0) std::memmove(buffer_->data(), bytes.data(), size);
    } else {
        auto next = pool_->take(capacity);
        if (size > 0) std::memcpy(next->data(), bytes.data(), size);
        buffer_ = std::move(next);
    }
    begin_ = 0;
    end_ = size;
}

std::span<std::byte> FrameReader::prepare() {
    auto const slab = pool_->slabBytes();
    auto const have = end_ - begin_;
    // next() has refused a frame over the limit, so `needed` is bounded.
    auto const needed = neededForNextFrame();
    if (needed > slab) {
        // Grow with what has really arrived: a peer that only announces a large frame costs nothing.
        auto const wanted = std::min(needed, std::max(slab, have * 2));
        if (!buffer_ || buffer_->capacity() - begin_ < std::min(needed, have + 1) || buffer_->capacity() < slab) moveTo(wanted);
    } else if (!buffer_ || buffer_->capacity() != slab) {
        moveTo(slab);
    } else if (have == 0 && buffer_->unique()) {
        begin_ = end_ = 0;
    } else if (slab - end_ < slab / 4 || slab - begin_ < needed) {
        moveTo(slab);
    }
    return {buffer_->data() + end_, buffer_->capacity() - end_};
}

FrameReader::Step FrameReader::next(Frame& frame) {
    auto const bytes = unread();
    if (bytes.size() < kFrameHeaderBytes) return Step::needMore;
    std::size_t const total = kFrameHeaderBytes + load<std::uint32_t>(bytes.data());
    if (total > maxFrameBytes_) return Step::tooLarge;
    if (bytes.size() < total) return Step::needMore;
    frame.type = static_cast<FrameType>(load<std::uint8_t>(bytes.data() + 4));
    frame.body = bytes.subspan(kFrameHeaderBytes, total - kFrameHeaderBytes);
    begin_ += total;
    return Step::frame;
}

void FrameReader::rest() {
    auto const size = end_ - begin_;
    if (size == 0) {
        buffer_.reset();
        begin_ = end_ = 0;
    } else if (size <= kSmallRemainder && buffer_->capacity() > kSmallRemainder) {
        moveTo(size);
    }
}

}  // namespace gazellemq::protocol
