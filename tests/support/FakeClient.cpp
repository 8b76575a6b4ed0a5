#include "FakeClient.hpp"

#include <algorithm>

namespace gazellemq::test {

using protocol::ByteView;
using protocol::FrameReader;
using protocol::FrameType;

FakeClient::FakeClient(FakeHub& hub, bool hello)
    : hub_(hub),
      session_(hub.broker().open("fake")),
      reader_(hub.pool().shared_from_this(), hub.broker().limits().maxFrameBytes()) {
    hub_.add(*this);
    if (!hello) return;
    protocol::Hello frame;
    frame.clientName = "fake";
    send(frame);
}

FakeClient::~FakeClient() { hub_.remove(*this); }

bool FakeClient::write(ByteView bytes, std::size_t portion) {
    bool takesMore = !session_.closing();
    while (!bytes.empty() && takesMore) {
        auto const room = reader_.prepare();
        auto const n = std::min({bytes.size(), room.size(), portion});
        std::copy_n(bytes.begin(), n, room.begin());
        bytes = bytes.subspan(n);
        reader_.commit(n);
        session_.heard();
        protocol::Frame frame;
        while (takesMore && reader_.next(frame) == FrameReader::Step::frame) {
            takesMore = session_.receive(frame, reader_.buffer());
        }
        if (takesMore) reader_.rest();
    }
    hub_.settle();
    return takesMore;
}

Error FakeClient::open(std::uint32_t handle, std::string_view topic) {
    send(protocol::OpenTopic{++requests, handle, topic});
    return lastReply();
}

Error FakeClient::subscribe(std::uint32_t id, std::string_view pattern, std::uint64_t credit) {
    send(protocol::Subscribe{++requests, id, credit, pattern});
    return lastReply();
}

Error FakeClient::subscribe(protocol::Subscribe subscribe) {
    subscribe.requestId = ++requests;
    if (subscribe.credit == 0) subscribe.credit = kUnlimited;
    send(subscribe);
    return lastReply();
}

Error FakeClient::unsubscribe(std::uint32_t id) {
    send(protocol::Unsubscribe{++requests, id});
    return lastReply();
}

bool FakeClient::publish(std::uint32_t handle, std::vector<std::string> const& payloads) {
    auto const batch = makeBatch(payloads, sequence_[handle] + 1);
    sequence_[handle] += payloads.size();
    sent_[handle] += batch.size();
    return write(publishFrame(handle, batch));
}

bool FakeClient::publishHeaded(std::uint32_t handle, std::vector<Headed> const& headed, std::uint32_t partition, std::uint64_t producerId) {
    auto const batch = makeHeadedBatch(headed, sequence_[handle] + 1, producerId);
    sequence_[handle] += headed.size();
    sent_[handle] += batch.size();
    return write(publishFrame(handle, batch, partition));
}

std::size_t FakeClient::publishAll(std::uint32_t handle, std::string const& payload, std::size_t most) {
    std::size_t published = 0;
    for (; published < most && mayPublish(handle) && !session_.closing(); ++published)
        publish(handle, payload);
    return published;
}

protocol::Confirm FakeClient::lastConfirm(std::uint32_t handle) const {
    auto const at = confirms_.find(handle);
    return at == confirms_.end() ? protocol::Confirm{} : at->second;
}

void FakeClient::onWritable() {
    if (reads) {
        read();
    } else if (!full_) {
        session_.output();
        full_ = true;
    }
}

void FakeClient::read(std::size_t bytes) {
    full_ = false;
    while (bytes > 0) {
        auto& out = session_.output();
        std::size_t n = 0;
        for (auto const& piece : out.gather()) {
            auto const part = std::min(piece.iov_len, bytes - n);
            append(incoming_, {static_cast<std::byte const*>(piece.iov_base), part});
            n += part;
        }
        if (n == 0) break;
        out.consume(n);
        bytes -= n;
    }
    parse();
}

void FakeClient::parse() {
    ByteView unread = incoming_;
    while (unread.size() >= protocol::kFrameHeaderBytes) {
        auto const size = protocol::load<std::uint32_t>(unread.data());
        if (unread.size() - protocol::kFrameHeaderBytes < size) break;
        auto const type = static_cast<FrameType>(protocol::load<std::uint8_t>(unread.data() + 4));
        if (goodbye() != Error::ok) brokenStream = true;  // it is the last frame
        take(type, unread.subspan(protocol::kFrameHeaderBytes, size));
        unread = unread.subspan(protocol::kFrameHeaderBytes + size);
    }
    incoming_.erase(incoming_.begin(), incoming_.end() - static_cast<std::ptrdiff_t>(unread.size()));
}

void FakeClient::take(FrameType type, ByteView body) {
    auto const kept = type == FrameType::deliver ? body.first(std::min<std::size_t>(8, body.size())) : body;
    received.push_back({type, Bytes(kept.begin(), kept.end()), protocol::kFrameHeaderBytes + body.size()});
    if (type == FrameType::deliver) {
        takeDeliver(body);
    } else if (type == FrameType::confirm) {
        auto const confirm = protocol::decode<protocol::Confirm>(body).value();
        auto const before = lastConfirm(confirm.handle);
        if (confirm.credit < before.credit || confirm.sequence < before.sequence) brokenStream = true;
        confirms_[confirm.handle] = confirm;
    } else if (type == FrameType::topic) {
        auto const named = protocol::decode<protocol::TopicNamed>(body).value();
        topics_[{named.subscription, named.handle}] = named.name;
    } else if (type == FrameType::dropped) {
        auto const told = protocol::decode<protocol::Dropped>(body).value();
        dropped[topics_[{told.subscription, told.handle}]] += told.count;
    } else if (type == FrameType::topicGone) {
        auto const gone = protocol::decode<protocol::TopicGone>(body).value();
        if (topics_.erase({gone.subscription, gone.handle}) == 0) brokenStream = true;
    }
}

void FakeClient::takeDeliver(ByteView body) {
    auto const subscription = protocol::load<std::uint32_t>(body.data());
    auto const topic = topics_.find({subscription, protocol::load<std::uint32_t>(body.data() + 4)});
    if (topic == topics_.end() || body.size() == 8) brokenStream = true;
    for (auto batches = body.subspan(8); !batches.empty();) {
        auto const header = protocol::BatchHeader::decode(batches);
        if (!header || topic == topics_.end()) {
            brokenStream = true;
            return;
        }
        auto const batch = batches.first(header->totalBytes());
        if (verifiesChecksums && !protocol::checksumFits(batch)) brokenStream = true;
        if (!protocol::hubChecksumFits(batch)) brokenStream = true;
        auto offset = header->baseOffset;
        for (auto& payload : payloadsOf(batch)) {
            messages.push_back(
                {subscription, topic->second, std::move(payload), offset++, header->receiveTimeNs, header->partition});
        }
        batches = batches.subspan(batch.size());
    }
}

std::vector<std::string> FakeClient::payloads() const {
    std::vector<std::string> all;
    for (auto const& message : messages) all.push_back(message.payload);
    return all;
}

std::vector<std::uint64_t> FakeClient::offsets() const {
    std::vector<std::uint64_t> all;
    for (auto const& message : messages) all.push_back(message.offset);
    return all;
}

Error FakeClient::goodbye() const {
    if (received.empty() || received.back().type != FrameType::goodbye) return Error::ok;
    return last<protocol::Goodbye>()->code;
}

Error FakeClient::lastReply() const {
    auto const reply = last<protocol::Reply>();
    return reply && reply->requestId == requests ? reply->code : Error::timeout;
}

}  // namespace gazellemq::test
