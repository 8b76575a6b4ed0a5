#pragma once
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Batch.hpp"
#include "Buffer.hpp"
#include "ControlFrames.hpp"
#include "Frame.hpp"
#include "OutputQueue.hpp"
#include "PublisherClient.hpp"

namespace gazellemq::client {

/// What goes with a message beside its payload.
struct Envelope {
    protocol::ByteView headers{};   ///< encoded
    std::uint16_t flags = 0;        ///< that its batch has to have
    std::uint16_t partition = 0;    ///< 0: the hub chooses; otherwise one more than its number
    std::uint16_t keyedFor = 0;     ///< the number of partitions among which the key has chosen this one; 0: none has
};

/// A batch that is being filled.
struct OpenBatch {
    protocol::BufferRef buffer;     ///< room for the frame and batch headers, then messages
    std::size_t bytes = 0;          ///< with the headers
    std::uint32_t count = 0;
    std::uint16_t flags = 0;
    std::uint16_t partition = 0;    ///< see Envelope
    std::uint16_t keyedFor = 0;
    std::size_t roomEnd = 0;        ///< a message without headers that ends here or before leaves the batch open; 0: none does
};

/// One topic of a publisher: its open batches, the sealed ones that wait, and what the hub allows and has confirmed.
struct OutTopic {
    struct Sealed {
        protocol::BufferRef buffer;
        std::size_t frameBytes;  ///< whole PUBLISH frame
        std::uint32_t count;
        std::uint64_t lastSequence;
        std::uint16_t partition;
        std::uint16_t keyedFor;
    };
    enum class Link : std::uint8_t { closed, opening, open };

    std::string name;
    std::uint32_t handle = 0;
    Link link = Link::closed;
    std::uint64_t sentBytes = 0;  ///< of batches, on this link
    std::uint64_t credit = 0;     ///< absolute, on this link

    std::uint16_t partitions = 0; ///< as the hub told last; 0: not yet

    OpenBatch open;               ///< of messages for which the hub chooses the partition
    std::vector<std::unique_ptr<OpenBatch>> parts;  ///< of the others, by the number of their partition; nullptr: never used
    std::uint32_t openCount = 0;  ///< messages in all of them
    std::deque<Sealed> sealed;

    std::size_t waitingBytes = 0; ///< of sealed batches not yet written
    std::uint64_t sequence = 0;   ///< last one given to a sealed batch
    std::uint64_t sequenceSeen = 0;  ///< `sequence` at the last sealOpen(quiet)
    std::uint64_t sent = 0;       ///< last one written to a link
    std::uint64_t settled = 0;    ///< last one confirmed, lost or refused
    struct Skipped {
        std::uint64_t last;
        std::uint64_t count;
    };
    std::deque<Skipped> skipped;  ///< refused batches behind unsettled ones: no confirm counts them
    bool large = false;           ///< its batches fill up: begin with a full-size buffer
    bool outran = false;          ///< its publisher waited for the link in vain and goes on without
    bool queued = false;          ///< in the list of topics that may send
    bool listed = false;          ///< in the list of topics with an open batch
    std::uint64_t toldUnheard = 0;    ///< messages that went to no subscription, on this link
    std::optional<std::uint32_t> subscriptions;  ///< that the last confirmed batch went to

    bool canSend() const { return link == Link::open && sentBytes < credit; }
    /// Sequence of the last message accepted.
    std::uint64_t accepted() const { return sequence + openCount; }
};

/// What a publisher has accepted and not yet settled: batches, credit, counts. Pure; guarded by its client's lock.
///
/// Order per topic is the order of append(). What was wholly written when a link is lost is counted as lost; what was not
/// goes out first on the next link.
class Outbox {
  public:
    struct Limits {
        std::size_t maxBatchBytes = 32 * 1024;
        std::size_t maxBatchMessages = 0;
        std::size_t maxPayloadBytes = 8 * 1024 * 1024;
    };
    /// What the publisher is told through onPublishFailed.
    struct Failure {
        std::string topic;
        std::uint64_t count;
        Error code;
        std::string reason;
    };

    explicit Outbox(std::uint64_t producerId) : producerId_(producerId) { setLimits({}); }

    void setLimits(Limits const& limits);
    Limits const& limits() const { return limits_; }

    /// The topic, checked and made at its first use; nullptr and a name rule in `error` otherwise.
    OutTopic* topic(std::string_view name, Error& error);
    /// Bytes that a message may add to bufferedBytes().
    static std::size_t cost(std::string_view payload, protocol::ByteView headers = {}) {
        return protocol::BatchHeader::kLengthBytes + protocol::BatchHeader::kHeadersLengthBytes + headers.size() + payload.size() + kBatchStart;
    }
    /// append() for most messages: one without headers that neither begins nor fills a batch. False, and nothing done, for others.
    bool appendInside(OutTopic& topic, std::string_view payload) {
        auto& batch = topic.open;
        auto const end = batch.bytes + protocol::BatchHeader::kLengthBytes + payload.size();
        if (end > batch.roomEnd || batch.count + 1 == limits_.maxBatchMessages) [[unlikely]] return false;
        put(topic, batch, payload);
        return true;
    }
    /// True if a batch was closed: something can be written.
    bool append(OutTopic& topic, std::string_view payload) { return !appendInside(topic, payload) && append(topic, payload, {}); }
    bool append(OutTopic& topic, std::string_view payload, Envelope const& envelope);

    enum class Which : std::uint8_t {
        all,
        sendable,  ///< could be written at once
        quiet      ///< of these, those whose topic has filled no batch since the last sealOpen(quiet)
    };
    /// Closes open batches. True if some are left that wait for a write and not for the hub.
    bool sealOpen(Which which);
    bool hasOpen() const { return !openTopics_.empty(); }
    /// Number of batches that became full so far: grows while a program publishes at full speed.
    std::uint64_t fullBatches() const { return fullBatches_; }

    // The link.
    void linkUp(std::vector<std::byte>& control, std::size_t maxFrameBytes, std::size_t maxPayloadBytes);
    void linkDown();
    bool isUp() const { return up_; }
    /// Opens the topics that were used first since.
    void openTopics(std::vector<std::byte>& control);
    /// Adds sealed batches to `out`, as credit allows, up to `most` bytes in it.
    void fill(protocol::OutputQueue& out, std::size_t most);
    bool canFill() const { return !ready_.empty() || !toOpen_.empty(); }
    /// `bytes` of what fill() and others gave to `out` were written.
    void written(std::size_t bytes);
    void onConfirm(protocol::Confirm const& confirm);
    /// The hub's answer to an OPEN_TOPIC.
    void onReply(protocol::Reply const& reply);
    /// The hub has deleted a topic: what it has not confirmed is given up, and the next message opens it anew.
    void onTopicDeleted(protocol::Notice const& notice, std::vector<std::byte>& control);
    /// Empty if there is no such handle.
    std::string nameOf(std::uint32_t handle) const { return handle < byHandle_.size() ? byHandle_[handle]->name : std::string{}; }
    /// What was refused since the last call.
    std::vector<Failure> takeFailures() { return std::exchange(failures_, {}); }
    bool hasFailures() const { return !failures_.empty(); }

    PublisherStats stats() const;
    std::size_t bufferedBytes() const { return bufferedBytes_; }
    /// Of sealed batches that wait for a write.
    std::size_t sealedBytes() const { return sealedBytes_; }
    std::uint64_t unsettled() const { return published_ - confirmed_ - lost_ - refused_; }
    std::uint64_t published() const { return published_; }
    std::uint64_t lost() const { return lost_; }
    /// Subscriptions that the last confirmed batch of a topic went to; empty while none was confirmed.
    std::optional<std::uint32_t> subscriptionsOf(std::string_view topic) const;
    std::uint64_t refused() const { return refused_; }
    /// Every topic with the sequence up to which it must settle for a flush of now.
    std::vector<std::pair<OutTopic const*, std::uint64_t>> flushTargets() const;

  private:
    struct InFlight {
        OutTopic* topic;
        OutTopic::Sealed batch;
        std::uint64_t endPosition;  // in the link's byte stream
        bool sent = false;
    };

    /// Headers in front of the first message of a PUBLISH frame.
    static constexpr std::size_t kBatchStart = protocol::kDataHeaderBytes + protocol::BatchHeader::kBytes;

    void put(OutTopic& topic, OpenBatch& batch, std::string_view payload) {
        auto* at = batch.buffer->data() + batch.bytes;
        protocol::store(at, static_cast<std::uint32_t>(payload.size()));
        std::memcpy(at + protocol::BatchHeader::kLengthBytes, payload.data(), payload.size());
        countPut(topic, batch, protocol::BatchHeader::kLengthBytes + payload.size());
    }
    void putHeaded(OutTopic& topic, OpenBatch& batch, std::string_view payload, protocol::ByteView headers);
    void countPut(OutTopic& topic, OpenBatch& batch, std::size_t bytes) {
        batch.bytes += bytes;
        ++batch.count;
        ++topic.openCount;
        ++published_;
        ++buffered_;
        bufferedBytes_ += bytes;
    }
    static OpenBatch& batchOf(OutTopic& topic, std::uint16_t partition);
    void noteRoom(OpenBatch& batch) const;
    void begin(OutTopic& topic, OpenBatch& batch, std::size_t messageBytes, Envelope const& envelope);
    void grow(OpenBatch& batch, std::size_t bytes);
    void seal(OutTopic& topic, OpenBatch& batch);
    void sealAll(OutTopic& topic);
    void offer(OutTopic& topic);
    void markSent(InFlight& batch);
    void countOut(OutTopic& topic, OutTopic::Sealed const& batch);
    void needOpen(OutTopic& topic);
    void refuseAll(OutTopic& topic, Error code, std::string_view reason, std::uint64_t alreadyRefused = 0);
    void skipRefused(OutTopic& topic);
    Error whyRefused(OutTopic const& topic, OutTopic::Sealed const& batch) const;
    static void settle(OutTopic& topic, std::uint64_t upTo, std::uint64_t& counter);
    static void passSkipped(OutTopic& topic);

    std::uint64_t const producerId_;
    Limits limits_;
    std::size_t maxFrameBytes_ = SIZE_MAX;  // of the hub
    std::shared_ptr<protocol::BufferPool> fullPool_;
    std::vector<Failure> failures_;
    std::unordered_map<std::string_view, std::unique_ptr<OutTopic>> byName_;  // keys point into the topics
    std::vector<OutTopic*> byHandle_;
    std::vector<OutTopic*> openTopics_;
    std::vector<OutTopic*> toOpen_;
    std::deque<OutTopic*> ready_;
    std::deque<InFlight> inFlight_;
    std::uint64_t writtenPosition_ = 0;
    bool up_ = false;

    std::uint64_t published_ = 0;
    std::uint64_t confirmed_ = 0;
    std::uint64_t buffered_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t unheard_ = 0;
    std::uint64_t fullBatches_ = 0;
    std::size_t bufferedBytes_ = 0;
    std::size_t sealedBytes_ = 0;
};

}  // namespace gazellemq::client
