#include "BatchCopy.hpp"

#include <utility>

namespace gazellemq::hub {

using protocol::BatchHeader;

void BatchCopy::begin(protocol::ByteView source, std::uint32_t place) {
    start_ = out_.size();
    out_.resize(start_ + BatchHeader::kBytes);
    producerId_ = protocol::producerOf(source.data());
    firstSequence_ = protocol::load<std::uint64_t>(source.data() + BatchHeader::kSequenceAt) + place;
    flags_ = protocol::load<std::uint16_t>(source.data() + BatchHeader::kFlagsAt);
    count_ = 0;
}

void BatchCopy::add(protocol::ByteView message) {
    out_.insert(out_.end(), message.begin(), message.end());
    ++count_;
}

std::size_t BatchCopy::end() {
    auto const body = static_cast<std::uint32_t>(out_.size() - start_ - BatchHeader::kBytes);
    protocol::sealBatch(out_.data() + start_, body, std::exchange(count_, 0), producerId_, firstSequence_, flags_);
    return start_;
}

}  // namespace gazellemq::hub
