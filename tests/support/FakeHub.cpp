#include "FakeHub.hpp"

#include <algorithm>

#include "FakeClient.hpp"

namespace gazellemq::test {

using namespace std::chrono_literals;

FakeHub::FakeHub(hub::Limits const& limits, std::size_t slabBytes)
    : pool_(protocol::BufferPool::create(slabBytes, 16)),
      broker_(limits, pool_, protocol::Id{std::byte{0x5E}}, [] {}) {
    broker_.setNow(now_);
}

void FakeHub::add(FakeClient& client) { clients_.emplace(&client.session(), &client); }

void FakeHub::remove(FakeClient& client) {
    clients_.erase(&client.session());
    broker_.close(client.session());
}

bool FakeHub::flush() {
    auto const awake = broker_.takeAwake();
    for (auto* session : awake) clients_.at(session)->onWritable();
    return !awake.empty();
}

void FakeHub::settle() {
    for (;;) {
        while (flush()) continue;
        if (!broker_.wantsShortTick()) return;
        broker_.shortTick();
        if (!flush()) return;
    }
}

void FakeHub::advance(std::chrono::milliseconds time) {
    for (auto left = time; left > 0ms;) {
        auto const step = std::min(left, std::chrono::milliseconds{250});
        left -= step;
        setClock(now_.steadyMs + step.count());
        broker_.tick();
        settle();
    }
}

void FakeHub::setClock(std::int64_t steadyMs) {
    now_.wallNs += (steadyMs - now_.steadyMs) * 1'000'000;
    now_.steadyMs = steadyMs;
    broker_.setNow(now_);
}

}  // namespace gazellemq::test
