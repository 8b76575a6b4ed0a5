#include "MemoryLog.hpp"

namespace gazellemq::hub {

void MemoryLog::append(protocol::BufferRef owner, protocol::ByteView bytes, std::uint32_t count, Readers readers) {
    auto const nothingBlocked = firstBlocked_ == endIndex();
    if (readers.none() && entries_.empty()) {
        ++beginIndex_;
    } else {
        entries_.push_back({std::move(owner), bytes, endPosition_, endOffset_, count, readers});
    }
    endPosition_ += bytes.size();
    endOffset_ += count;
    if (nothingBlocked && readers.blocking == 0) firstBlocked_ = endIndex();
}

void MemoryLog::pass(std::uint64_t index, bool blocking) {
    auto& readers = entries_[static_cast<std::size_t>(index - beginIndex_)].readers;
    --(blocking ? readers.blocking : readers.dropping);
    while (!entries_.empty() && entries_.front().readers.none()) {
        entries_.pop_front();
        ++beginIndex_;
    }
    if (firstBlocked_ < beginIndex_) firstBlocked_ = beginIndex_;
    while (firstBlocked_ < endIndex() && at(firstBlocked_).readers.blocking == 0) ++firstBlocked_;
}

std::size_t MemoryLog::blockedBytes() const {
    return firstBlocked_ == endIndex() ? 0 : static_cast<std::size_t>(endPosition_ - at(firstBlocked_).position);
}

std::uint64_t MemoryLog::droppableUpTo(std::size_t keep) const {
    auto index = beginIndex_;
    while (index < firstBlocked_ && endPosition_ - at(index).position > keep) ++index;
    return index;
}

}  // namespace gazellemq::hub
