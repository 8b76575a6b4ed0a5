#include "MemoryLog.hpp"

#include <algorithm>
#include <utility>

namespace gazellemq::hub {

void MemoryLog::retain(std::size_t bytes) {
    retainBytes_ = bytes;
    trim();
}

void MemoryLog::forgetRetained() {
    auto const bytes = std::exchange(retainBytes_, 0);
    trim();
    retainBytes_ = bytes;
}

void MemoryLog::append(StoredBatch batch, Readers readers) {
    auto const nothingBlocked = firstBlocked_ == endIndex();
    auto const nothingNeeded = firstNeeded_ == endIndex();
    auto const bytes = batch.bytes.size();
    auto const count = batch.count;
    if (readers.none() && entries_.empty() && retainBytes_ == 0) {
        ++beginIndex_;
    } else {
        entries_.push_back({std::move(batch), endPosition_, endOffset_, readers});
    }
    endPosition_ += bytes;
    endOffset_ += count;
    if (nothingBlocked && readers.blocking == 0) firstBlocked_ = endIndex();
    if (nothingNeeded && readers.none()) firstNeeded_ = endIndex();
    trim();
}

void MemoryLog::pass(std::uint64_t index, bool blocking) {
    auto& readers = entries_[static_cast<std::size_t>(index - beginIndex_)].readers;
    --(blocking ? readers.blocking : readers.dropping);
    while (firstNeeded_ < endIndex() && at(firstNeeded_).readers.none()) ++firstNeeded_;
    while (firstBlocked_ < endIndex() && at(firstBlocked_).readers.blocking == 0) ++firstBlocked_;
    trim();
}

void MemoryLog::join(std::uint64_t index, bool blocking) {
    for (auto i = index; i < endIndex(); ++i) {
        auto& readers = entries_[static_cast<std::size_t>(i - beginIndex_)].readers;
        ++(blocking ? readers.blocking : readers.dropping);
    }
    firstNeeded_ = std::min(firstNeeded_, index);
    if (blocking) firstBlocked_ = std::min(firstBlocked_, index);
}

/// What no reader needs goes from the front, but for what is retained.
void MemoryLog::trim() {
    while (beginIndex_ < firstNeeded_ && (retainBytes_ == 0 || (bytes() > retainBytes_ && entries_.size() > 1))) {
        entries_.pop_front();
        ++beginIndex_;
    }
}

std::uint64_t MemoryLog::indexOf(std::uint64_t offset) const {
    auto const after = std::upper_bound(entries_.begin(), entries_.end(), offset,
                                        [](std::uint64_t wanted, Entry const& entry) { return wanted < entry.baseOffset; });
    if (offset >= endOffset_) return endIndex();
    auto const place = after - entries_.begin();
    return beginIndex_ + static_cast<std::uint64_t>(place > 0 ? place - 1 : 0);
}

std::uint64_t MemoryLog::droppableUpTo(std::size_t keep) const {
    auto index = beginIndex_;
    while (index < firstBlocked_ && endPosition_ - at(index).position > keep) ++index;
    return index;
}

}  // namespace gazellemq::hub
