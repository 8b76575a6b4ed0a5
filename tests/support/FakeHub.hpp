#pragma once
#include <chrono>
#include <unordered_map>

#include "Broker.hpp"
#include "Session.hpp"

namespace gazellemq::test {

class FakeClient;

/// A Broker with a clock that moves only when told and with FakeClients for connections: the part of the
/// shell, without sockets, threads and time. One thread.
class FakeHub {
  public:
    explicit FakeHub(hub::Limits const& limits = {},
                     std::size_t slabBytes = protocol::BufferPool::kSlabBytes);
    FakeHub(FakeHub const&) = delete;
    FakeHub& operator=(FakeHub const&) = delete;

    hub::Broker& broker() { return broker_; }
    protocol::BufferPool& pool() { return *pool_; }
    std::int64_t nowMs() const { return now_.steadyMs; }

    /// Lets clients read and confirms go out until nothing moves any more.
    void settle();
    /// Moves the clock in steps of at most 250 ms, as the shell ticks, and settles after each.
    void advance(std::chrono::milliseconds time);
    /// Moves the clock without anything else.
    void setClock(std::int64_t steadyMs);

    void add(FakeClient& client);
    void remove(FakeClient& client);

  private:
    /// Writes to the sessions that have something to say. False if there was none.
    bool flush();

    std::shared_ptr<protocol::BufferPool> pool_;
    hub::Now now_{1'700'000'000'000'000'000, 1'000'000};
    hub::Broker broker_;
    std::unordered_map<hub::Session*, FakeClient*> clients_;
};

}  // namespace gazellemq::test
