#include "Filter.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "BatchCopy.hpp"
#include "MessageHeaders.hpp"

namespace gazellemq::hub {

using protocol::BatchHeader;
using protocol::BatchReader;
using protocol::ByteView;
using protocol::MessageHeaders;

namespace {

bool isWhole(ByteView batch) {
    BatchReader reader{batch};
    while (reader.next()) continue;
    return reader.intact() && protocol::checksumFits(batch);
}

std::uint32_t ttlMs(BatchReader const& reader) {
    auto const headers = MessageHeaders::decode(reader.headers());
    return headers ? headers->ttlMs : 0;
}

/// Copies runs of messages that stand next to each other.
class Runs {
  public:
    explicit Runs(StoredBatch const& source) : source_(source) {}

    void add(std::uint32_t place, ByteView message) {
        if (copy_.count() > 0 && place != next_) end();
        if (copy_.count() == 0) {
            copy_.begin(source_.bytes, place);
            firstPlace_ = place;
        }
        copy_.add(message);
        next_ = place + 1;
    }

    void moveTo(protocol::BufferPool& pool, std::vector<StoredBatch>& out) {
        if (copy_.count() > 0) end();
        if (runs_.empty()) return;
        auto const owner = pool.take(bytes_.size());
        std::copy(bytes_.begin(), bytes_.end(), owner->data());
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            auto const end = i + 1 < runs_.size() ? runs_[i + 1].start : bytes_.size();
            out.push_back({owner, {owner->data() + runs_[i].start, end - runs_[i].start}, runs_[i].count, source_.leastTtlMs, source_.receivedMs});
        }
    }

  private:
    struct Run {
        std::size_t start;
        std::uint32_t count;
    };

    void end() {
        auto const count = copy_.count();
        auto const start = copy_.end();
        auto const header = *BatchHeader::decode(source_.bytes);
        protocol::stampBatch(bytes_.data() + start, header.baseOffset + firstPlace_, header.receiveTimeNs, header.partition);
        runs_.push_back({start, count});
    }

    StoredBatch const& source_;
    std::vector<std::byte> bytes_;
    BatchCopy copy_{bytes_};
    std::vector<Run> runs_;
    std::uint32_t firstPlace_ = 0;
    std::uint32_t next_ = 0;
};

}  // namespace

std::optional<std::uint32_t> leastTtlMs(ByteView batch) {
    std::uint32_t least = 0;
    BatchReader reader{batch};
    while (reader.next()) {
        auto const headers = MessageHeaders::decode(reader.headers());
        if (!headers) return std::nullopt;
        if (headers->ttlMs > 0 && (least == 0 || headers->ttlMs < least)) least = headers->ttlMs;
    }
    return reader.intact() ? std::optional{least} : std::nullopt;
}

std::uint64_t filter(StoredBatch const& batch, protocol::BufferPool& pool, std::vector<StoredBatch>& out,
                     std::function<bool(std::uint32_t, BatchReader const&)> const& keep) {
    if (!isWhole(batch.bytes)) {
        out.push_back(batch);
        return 0;
    }
    Runs runs{batch};
    std::uint64_t leftOut = 0;
    std::uint32_t place = 0;
    for (BatchReader reader{batch.bytes}; reader.next(); ++place) {
        if (keep(place, reader)) runs.add(place, reader.whole());
        else ++leftOut;
    }
    if (leftOut == 0) out.push_back(batch);
    else runs.moveTo(pool, out);
    return leftOut;
}

std::uint64_t withoutExpired(StoredBatch const& batch, std::int64_t nowMs, protocol::BufferPool& pool, std::vector<StoredBatch>& out) {
    return filter(batch, pool, out, [&](std::uint32_t, BatchReader const& reader) {
        auto const ttl = ttlMs(reader);
        return ttl == 0 || batch.receivedMs + ttl > nowMs;
    });
}

void fromPlace(StoredBatch const& batch, std::uint64_t first, protocol::BufferPool& pool, std::vector<StoredBatch>& out) {
    filter(batch, pool, out, [&](std::uint32_t place, BatchReader const&) { return place >= first; });
}

std::uint64_t newestPerKey(std::span<StoredBatch const> batches, protocol::BufferPool& pool, std::vector<StoredBatch>& out) {
    std::unordered_map<std::string_view, std::pair<std::size_t, std::uint32_t>> newest;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        std::uint32_t place = 0;
        for (BatchReader reader{batches[i].bytes}; reader.next(); ++place) newest[protocol::keyOf(reader.headers())] = {i, place};
    }
    std::uint64_t leftOut = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        leftOut += filter(batches[i], pool, out, [&](std::uint32_t place, BatchReader const& reader) {
            return newest[protocol::keyOf(reader.headers())] == std::pair{i, place};
        });
    }
    return leftOut;
}

std::vector<Part> splitByKey(ByteView batch, std::uint16_t partitions, std::uint16_t keyless) {
    if (!isWhole(batch)) return {};
    struct Copy {
        std::vector<std::byte> bytes;
        BatchCopy copy{bytes};
    };
    std::map<std::uint16_t, Copy> copies;
    std::uint32_t place = 0;
    for (BatchReader reader{batch}; reader.next(); ++place) {
        auto const key = protocol::keyOf(reader.headers());
        auto& copy = copies[key.empty() ? keyless : protocol::partitionOf(key, partitions)].copy;
        if (copy.count() == 0) copy.begin(batch, place);
        copy.add(reader.whole());
    }
    std::vector<Part> parts;
    for (auto& [partition, copy] : copies) {
        auto const count = copy.copy.count();
        copy.copy.end();
        parts.push_back({partition, count, std::move(copy.bytes)});
    }
    return parts;
}

}  // namespace gazellemq::hub
