// What one batch costs in the hub's core, without sockets: append to the log, route to every reader, gather for writing.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "Batch.hpp"
#include "Broker.hpp"
#include "Session.hpp"

namespace {

using namespace gazellemq;
using namespace gazellemq::hub;
using protocol::Frame;

constexpr std::uint64_t kEndlessCredit = UINT64_MAX / 2;

/// Sends control frames to a session as its client would.
class Client {
  public:
    explicit Client(Broker& broker) : session_(broker.open("bench")), pool_(protocol::BufferPool::create()) { send(protocol::Hello{}); }

    template <typename F>
    void send(F const& frame) {
        std::vector<std::byte> bytes;
        encode(frame, bytes);
        receive(F::kType, {bytes.data() + protocol::kFrameHeaderBytes, bytes.size() - protocol::kFrameHeaderBytes});
    }

    void receive(protocol::FrameType type, protocol::ByteView body) {
        auto buffer = pool_->takeSlab();
        std::copy(body.begin(), body.end(), buffer->data());
        session_.receive(Frame{type, {buffer->data(), body.size()}}, buffer);
    }

    std::size_t takeOutput() {
        std::size_t total = 0;
        for (;;) {
            auto& output = session_.output();
            if (output.empty()) return total;
            total += output.bytes();
            output.gather();
            output.consume(output.bytes());
        }
    }

  private:
    Session& session_;
    std::shared_ptr<protocol::BufferPool> pool_;
};

std::vector<std::byte> publishBody(std::uint32_t handle, std::size_t bodyBytes) {
    std::vector<std::byte> body(8 + protocol::BatchHeader::kBytes + bodyBytes);
    protocol::store(body.data(), handle);
    protocol::store(body.data() + 8 + protocol::BatchHeader::kBytes, static_cast<std::uint32_t>(bodyBytes - 4));
    protocol::sealBatch(body.data() + 8, static_cast<std::uint32_t>(bodyBytes), 1, 1, 1);
    return body;
}

/// range(0) exact subscriptions to other topics, range(1) wildcard subscriptions to others, range(2) readers of the topic.
void routeABatch(benchmark::State& state) {
    Broker broker{{}, protocol::BufferPool::create(), {}, [] {}};
    Client others{broker};
    std::uint32_t id = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i, ++id) others.send(protocol::Subscribe{id, id, kEndlessCredit, "other.topic" + std::to_string(i)});
    for (std::int64_t i = 0; i < state.range(1); ++i, ++id) others.send(protocol::Subscribe{id, id, kEndlessCredit, "other.*.w" + std::to_string(i)});
    std::vector<std::unique_ptr<Client>> readers;
    for (std::int64_t i = 0; i < state.range(2); ++i) {
        readers.push_back(std::make_unique<Client>(broker));
        readers.back()->send(protocol::Subscribe{1, 1, kEndlessCredit, "the.topic"});
    }
    Client publisher{broker};
    publisher.send(protocol::OpenTopic{1, 1, "the.topic"});
    publisher.takeOutput();
    auto const body = publishBody(1, 32 * 1024 - 16 - protocol::BatchHeader::kBytes);
    for (auto _ : state) {
        publisher.receive(protocol::FrameType::publish, body);
        for (auto const& reader : readers) benchmark::DoNotOptimize(reader->takeOutput());
        publisher.takeOutput();
        broker.takeAwake();
    }
}
BENCHMARK(routeABatch)->ArgNames({"exact", "wildcard", "readers"})->Args({0, 0, 1})->Args({0, 0, 10})->Args({10000, 1000, 1});

}  // namespace
