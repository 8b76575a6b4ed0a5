#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Batches.hpp"

namespace gazellemq::test {

/// Everything that a hub has sent to one peer: the frames, and the messages of its deliveries, all checked against the
/// protocol by a parser of its own. Pure.
class Transcript {
  public:
    struct Entry {
        protocol::FrameType type;
        Bytes body;  ///< of a DELIVER only the two numbers
        std::size_t frameBytes;
        std::size_t batches;  ///< of a DELIVER
    };
    struct Message {
        std::uint32_t subscription;
        std::string topic;
        std::string payload;
        std::uint64_t offset;
    };

    /// The next bytes of the stream, cut anywhere.
    void take(protocol::ByteView bytes);

    std::vector<Entry> const& entries() const { return entries_; }
    std::vector<Message> const& messages() const { return messages_; }
    std::vector<std::string> payloads() const;
    /// What broke the protocol first; empty if nothing did. Damaged checksums of publishers are no fault of the hub.
    std::string const& problem() const { return problem_; }
    /// Batches whose publisher's checksum or layout was wrong.
    std::size_t damaged() const { return damaged_; }
    /// Bytes after the last whole frame.
    std::size_t unfinished() const { return incoming_.size(); }

    template <typename F>
    std::vector<F> all() const {
        std::vector<F> frames;
        for (auto const& entry : entries_) {
            if (entry.type == F::kType) frames.push_back(protocol::decode<F>(entry.body).value());
        }
        return frames;
    }
    template <typename F>
    std::optional<F> last() const {
        for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
            if (at->type == F::kType) return protocol::decode<F>(at->body);
        }
        return std::nullopt;
    }

  private:
    void takeFrame(protocol::FrameType type, protocol::ByteView body);
    std::size_t takeDeliver(protocol::ByteView body);
    void takeBatch(std::uint32_t subscription, std::string const& topic, protocol::ByteView batch);
    void complain(std::string const& what);

    Bytes incoming_;
    std::vector<Entry> entries_;
    std::vector<Message> messages_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> topics_;
    std::string problem_;
    std::size_t damaged_ = 0;
};

}  // namespace gazellemq::test
