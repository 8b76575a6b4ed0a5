#pragma once
#include <string>

#include "FakeClient.hpp"
#include "Subscription.hpp"
#include "Topic.hpp"

namespace gazellemq::test {

/// By name if it blocks, else by wildcard: a Subscription of a FakeClient's session with a cursor in one topic, for tests of what is below the
/// Broker.
struct FakeReader {
    FakeReader(FakeClient& client, hub::Topic& where, bool blocks,
               std::uint64_t credit = FakeClient::kUnlimited)
        : topic(where), subscription(client.session(), 1, blocks ? "fake" : "fake.>",
                                      blocks ? hub::SlowPolicy::block : hub::SlowPolicy::dropOldest, credit) {
        topic.attach(cursor);
    }
    ~FakeReader() { topic.detach(cursor); }
    FakeReader(FakeReader const&) = delete;
    FakeReader& operator=(FakeReader const&) = delete;

    hub::Topic& topic;
    hub::Subscription subscription;
    hub::Cursor cursor{&topic, &subscription};
};

}  // namespace gazellemq::test
