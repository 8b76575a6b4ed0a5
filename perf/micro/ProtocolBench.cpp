// What one message costs in the wire format alone.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "Batch.hpp"
#include "Checksum.hpp"
#include "Frame.hpp"
#include "TopicName.hpp"

namespace {

using namespace gazellemq::protocol;

std::vector<std::byte> fullBatch(std::size_t payloadBytes) {
    std::size_t const each = BatchHeader::kLengthBytes + payloadBytes;
    auto const count = (kMaxJoinedFrameBytes - kDataHeaderBytes - BatchHeader::kBytes) / each;
    std::vector<std::byte> batch(BatchHeader::kBytes + count * each);
    for (std::size_t i = 0; i < count; ++i) {
        store(batch.data() + BatchHeader::kBytes + i * each, static_cast<std::uint32_t>(payloadBytes));
    }
    sealBatch(batch.data(), static_cast<std::uint32_t>(count * each), static_cast<std::uint32_t>(count), 1, 1);
    return batch;
}

void checksumOfAFullBatch(benchmark::State& state) {
    auto const batch = fullBatch(86);
    for (auto _ : state) benchmark::DoNotOptimize(checksumFits(batch));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * batch.size()));
}
BENCHMARK(checksumOfAFullBatch);

void walkAFullBatch(benchmark::State& state) {
    auto const batch = fullBatch(static_cast<std::size_t>(state.range(0)));
    std::int64_t messages = 0;
    for (auto _ : state) {
        BatchReader reader{batch};
        while (auto const payload = reader.next()) {
            benchmark::DoNotOptimize(payload->data());
            ++messages;
        }
    }
    state.SetItemsProcessed(messages);
}
BENCHMARK(walkAFullBatch)->Arg(86)->Arg(1024);

void matchAPattern(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(matches("orders.*.created.>", "orders.europe.created.de.berlin"));
}
BENCHMARK(matchAPattern);

}  // namespace
