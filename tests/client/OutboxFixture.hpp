#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "Batches.hpp"
#include "Outbox.hpp"

namespace gazellemq::client {

/// An Outbox and the hub's side of its link: takes what is written, grants, confirms.
class OutboxFixture : public testing::Test {
  protected:
    static constexpr std::uint64_t kPlenty = 1'000'000'000;
    static constexpr std::uint64_t kProducer = 77;

    void linkUp(std::size_t maxFrameBytes = 9 << 20, std::size_t maxPayloadBytes = 8 << 20) {
        control.clear();
        outbox.linkUp(control, maxFrameBytes, maxPayloadBytes);
    }
    OutTopic& topic(std::string const& name) {
        auto error = Error::ok;
        auto* found = outbox.topic(name, error);
        EXPECT_NE(found, nullptr);
        return *found;
    }
    void append(std::string const& name, std::string const& payload) { outbox.append(topic(name), payload); }
    /// The hub opens the topic, or raises its credit, or confirms.
    void confirm(std::string const& name, std::uint64_t sequence, std::uint64_t credit = kPlenty) {
        outbox.onConfirm({topic(name).handle, sequence, credit});
    }
    void refuse(std::string const& name, Error code = Error::limitReached) { outbox.onReply({topic(name).handle, code, "no"}); }
    /// Fills and writes everything; returns the payloads of each PUBLISH, with the topic in front.
    std::vector<std::string> write(std::size_t most = 1 << 30) {
        outbox.sealOpen(Outbox::Which::sendable);
        outbox.fill(out, most);
        auto const bytes = out.bytes();
        auto const payloads = read();
        out.consume(bytes);
        outbox.written(bytes);
        return payloads;
    }
    /// What lies in `out`, without writing it.
    std::vector<std::string> read() {
        test::Bytes bytes;
        for (auto const& piece : out.gather()) test::append(bytes, {static_cast<std::byte const*>(piece.iov_base), piece.iov_len});
        std::vector<std::string> payloads;
        for (protocol::ByteView rest = bytes; !rest.empty();) {
            auto const frame = rest.first(protocol::kFrameHeaderBytes + protocol::load<std::uint32_t>(rest.data()));
            rest = rest.subspan(frame.size());
            EXPECT_EQ(protocol::load<std::uint8_t>(frame.data() + 4), static_cast<std::uint8_t>(protocol::FrameType::publish));
            auto const handle = protocol::load<std::uint32_t>(frame.data() + protocol::kFrameHeaderBytes);
            auto const batch = frame.subspan(protocol::kDataHeaderBytes);
            auto const header = protocol::BatchHeader::decode(batch).value();
            EXPECT_EQ(header.totalBytes(), batch.size());
            EXPECT_TRUE(protocol::checksumFits(batch));
            EXPECT_EQ(header.producerId, kProducer);
            // Sequences never go back, except for what was not wholly written on a lost link.
            EXPECT_EQ(header.firstSequence, lastSequence[handle] + 1) << "handle " << handle;
            lastSequence[handle] = header.firstSequence + header.count - 1;
            batchCounts.push_back(header.count);
            batchBytes.push_back(frame.size());
            for (auto const& payload : test::payloadsOf(batch)) payloads.push_back(payload);
        }
        return payloads;
    }
    std::vector<std::string> opened() const {
        std::vector<std::string> names;
        for (protocol::ByteView rest = control; !rest.empty();) {
            auto const body = rest.subspan(protocol::kFrameHeaderBytes, protocol::load<std::uint32_t>(rest.data()));
            names.emplace_back(protocol::decode<protocol::OpenTopic>(body).value().name);
            rest = rest.subspan(protocol::kFrameHeaderBytes + body.size());
        }
        return names;
    }
    void expectStats(std::uint64_t published, std::uint64_t confirmed, std::uint64_t buffered, std::uint64_t unconfirmed,
                     std::uint64_t lost = 0, std::uint64_t refused = 0) {
        auto const stats = outbox.stats();
        EXPECT_EQ(stats.published, published);
        EXPECT_EQ(stats.confirmed, confirmed);
        EXPECT_EQ(stats.buffered, buffered);
        EXPECT_EQ(stats.unconfirmed, unconfirmed);
        EXPECT_EQ(stats.lost, lost);
        EXPECT_EQ(stats.refused, refused);
        if (buffered == 0) {
            EXPECT_EQ(stats.bufferedBytes, 0U);
        }
    }

    Outbox outbox{kProducer};
    protocol::OutputQueue out;
    std::vector<std::byte> control;
    std::map<std::uint32_t, std::uint64_t> lastSequence;
    std::vector<std::size_t> batchCounts;
    std::vector<std::size_t> batchBytes;
};

}  // namespace gazellemq::client
