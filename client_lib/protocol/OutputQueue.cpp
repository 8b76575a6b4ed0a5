#include "OutputQueue.hpp"

#include <algorithm>
#include <utility>

namespace gazellemq::protocol {
namespace {

/// Capacity that an idle connection may keep.
constexpr std::size_t kIdlePieces = 16;
constexpr std::size_t kMostIovecs = 1024;  // Linux's IOV_MAX

}  // namespace

void OutputQueue::pushDataHeader(FrameType type, std::uint32_t first, std::uint32_t second, std::size_t batchBytes) {
    auto& piece = pieces_.emplace_back();
    storeDataHeader(piece.header.data(), type, first, second, batchBytes);
    piece.data = nullptr;
    piece.size = piece.header.size();
    bytes_ += piece.size;
}

void OutputQueue::push(BufferRef owner, ByteView bytes) {
    auto& piece = pieces_.emplace_back();
    piece.owner = std::move(owner);
    piece.data = bytes.data();
    piece.size = bytes.size();
    bytes_ += piece.size;
}

void OutputQueue::push(std::vector<std::byte>&& frames) {
    if (frames.empty()) return;
    auto& piece = pieces_.emplace_back();
    piece.frames = std::move(frames);
    piece.data = piece.frames.data();
    piece.size = piece.frames.size();
    bytes_ += piece.size;
}

std::span<iovec const> OutputQueue::gather() {
    auto const count = std::min(pieces_.size() - head_, kMostIovecs);
    iovecs_.clear();
    for (std::size_t i = head_; i < head_ + count; ++i) {
        auto& piece = pieces_[i];
        auto const* data = piece.data ? piece.data : piece.header.data();
        auto const skip = i == head_ ? written_ : 0;
        iovecs_.push_back({const_cast<std::byte*>(data) + skip, piece.size - skip});
    }
    return iovecs_;
}

void OutputQueue::consume(std::size_t bytes) {
    bytes_ -= bytes;
    written_ += bytes;
    while (head_ < pieces_.size() && written_ >= pieces_[head_].size) {
        written_ -= pieces_[head_].size;
        pieces_[head_].owner.reset();
        pieces_[head_].frames = {};
        ++head_;
    }
    if (head_ == pieces_.size()) {
        clear();
    } else if (head_ > kMaxPieces) {
        pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }
}

void OutputQueue::clear() {
    pieces_.clear();
    head_ = written_ = bytes_ = 0;
    if (pieces_.capacity() > kIdlePieces && iovecs_.size() <= kIdlePieces) {
        std::vector<Piece>{}.swap(pieces_);
        std::vector<iovec>{}.swap(iovecs_);
    }
}

}  // namespace gazellemq::protocol
