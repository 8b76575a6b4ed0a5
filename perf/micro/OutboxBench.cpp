// What publish() costs without its lock and without a socket.
#include <benchmark/benchmark.h>

#include <string>

#include "Outbox.hpp"

namespace {

using namespace gazellemq;
using namespace gazellemq::client;

void appendSealAndWrite(benchmark::State& state) {
    Outbox outbox{1};
    std::string const payload(static_cast<std::size_t>(state.range(0)), 'x');
    auto const topics = state.range(1);
    auto error = Error::ok;
    std::vector<OutTopic*> targets;
    for (std::int64_t i = 0; i < topics; ++i) targets.push_back(outbox.topic("topic" + std::to_string(i), error));
    std::vector<std::byte> control;
    outbox.linkUp(control, SIZE_MAX, 8 << 20);
    for (auto* topic : targets) outbox.append(*topic, payload);
    outbox.openTopics(control);
    for (auto* topic : targets) outbox.onConfirm({topic->handle, 0, UINT64_MAX});
    protocol::OutputQueue output;
    std::size_t next = 0;
    for (auto _ : state) {
        auto& topic = *targets[next];
        if (++next == targets.size()) next = 0;
        if (outbox.append(topic, payload)) {
            outbox.fill(output, 256 * 1024);
            auto const bytes = output.bytes();
            output.gather();
            output.consume(bytes);
            outbox.written(bytes);
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(appendSealAndWrite)->Args({86, 1})->Args({1024, 1})->Args({86, 1000});

void findATopic(benchmark::State& state) {
    Outbox outbox{1};
    auto error = Error::ok;
    for (int i = 0; i < 1000; ++i) outbox.topic("orders.europe." + std::to_string(i), error);
    for (auto _ : state) benchmark::DoNotOptimize(outbox.topic("orders.europe.500", error));
}
BENCHMARK(findATopic);

}  // namespace
