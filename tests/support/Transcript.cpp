#include "Transcript.hpp"

#include <algorithm>

namespace gazellemq::test {

using protocol::ByteView;
using protocol::FrameType;

void Transcript::take(ByteView bytes) {
    append(incoming_, bytes);
    ByteView unread = incoming_;
    while (unread.size() >= protocol::kFrameHeaderBytes) {
        auto const size = protocol::load<std::uint32_t>(unread.data());
        if (unread.size() - protocol::kFrameHeaderBytes < size) break;
        if (protocol::load<std::uint32_t>(unread.data() + 4) > 0xFF) complain("a frame header has flags or reserved bits");
        takeFrame(static_cast<FrameType>(protocol::load<std::uint8_t>(unread.data() + 4)),
                  unread.subspan(protocol::kFrameHeaderBytes, size));
        unread = unread.subspan(protocol::kFrameHeaderBytes + size);
    }
    incoming_.erase(incoming_.begin(), incoming_.end() - static_cast<std::ptrdiff_t>(unread.size()));
}

void Transcript::takeFrame(FrameType type, ByteView body) {
    if (!entries_.empty() && entries_.back().type == FrameType::goodbye) complain("something follows the GOODBYE");
    if (entries_.empty() && type != FrameType::welcome && type != FrameType::goodbye) complain("the first frame is no WELCOME");
    auto const deliver = type == FrameType::deliver;
    auto const kept = deliver ? body.first(std::min<std::size_t>(8, body.size())) : body;
    entries_.push_back({type, Bytes(kept.begin(), kept.end()), protocol::kFrameHeaderBytes + body.size(), 0});
    if (deliver) {
        entries_.back().batches = takeDeliver(body);
    } else if (type == FrameType::topic) {
        auto const named = last<protocol::TopicNamed>().value();
        topics_[{named.subscription, named.handle}] = named.name;
    } else if (type == FrameType::topicGone) {
        auto const gone = last<protocol::TopicGone>().value();
        if (topics_.erase({gone.subscription, gone.handle}) == 0) complain("an unknown topic is gone");
    }
}

/// How many batches it holds.
std::size_t Transcript::takeDeliver(ByteView body) {
    if (body.size() <= 8) return complain("a DELIVER without a batch"), 0;
    auto const subscription = protocol::load<std::uint32_t>(body.data());
    auto const topic = topics_.find({subscription, protocol::load<std::uint32_t>(body.data() + 4)});
    if (topic == topics_.end()) return complain("a DELIVER of a topic without a name"), 0;
    std::size_t batches = 0;
    for (auto rest = body.subspan(8); !rest.empty(); ++batches) {
        auto const header = protocol::BatchHeader::decode(rest);
        if (!header) return complain("a DELIVER with something else than batches"), batches;
        takeBatch(subscription, topic->second, rest.first(header->totalBytes()));
        rest = rest.subspan(header->totalBytes());
    }
    return batches;
}

void Transcript::takeBatch(std::uint32_t subscription, std::string const& topic, ByteView batch) {
    if (!protocol::hubChecksumFits(batch)) complain("a batch with a wrong checksum of the hub");
    auto offset = protocol::BatchHeader::decode(batch)->baseOffset;
    protocol::BatchReader reader{batch};
    while (auto const payload = reader.next()) {
        messages_.push_back({subscription, topic, std::string{protocol::asText(*payload)}, offset++});
    }
    if (!reader.intact() || !protocol::checksumFits(batch)) ++damaged_;
}

void Transcript::complain(std::string const& what) {
    if (problem_.empty()) problem_ = what;
}

std::vector<std::string> Transcript::payloads() const {
    std::vector<std::string> all;
    for (auto const& message : messages_) all.push_back(message.payload);
    return all;
}

}  // namespace gazellemq::test
