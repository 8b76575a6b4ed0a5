#pragma once
#include <string>

#include "FakeClient.hpp"
#include "Subscription.hpp"
#include "Topic.hpp"

namespace gazellemq::test {

/// By name if it blocks, else by wildcard: a Subscription of a FakeClient's session with a reader in one topic, for tests of what is below the
/// Broker.
struct FakeReader {
    FakeReader(FakeClient& client, hub::Topic& where, bool blocks,
               std::uint64_t credit = FakeClient::kUnlimited)
        : subscription(client.session(), 1, blocks ? "fake" : "fake.>",
                       {.policy = blocks ? hub::SlowPolicy::block : hub::SlowPolicy::dropOldest}, credit),
          reader{&where, &subscription},
          pool(protocol::BufferPool::create()) {
        where.attach(reader, *pool);
    }
    ~FakeReader() { reader.topic->detach(reader); }
    FakeReader(FakeReader const&) = delete;
    FakeReader& operator=(FakeReader const&) = delete;

    /// In the topic's first partition.
    hub::Cursor& cursor() { return reader.cursors.front(); }

    hub::Subscription subscription;
    hub::Reader reader;
    std::shared_ptr<protocol::BufferPool> pool;
};

}  // namespace gazellemq::test
