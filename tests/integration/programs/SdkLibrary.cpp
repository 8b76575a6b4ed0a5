#include "SdkLibrary.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "PublisherClient.hpp"
#include "SubscriberClient.hpp"

/// A shared library as somebody else may write it, with the SDK linked in statically. Built twice, under two names.

namespace {

using gazellemq::Error;
using namespace gazellemq::client;
using namespace std::chrono_literals;

constexpr auto kPatience = 30s;

std::string topicOfAll;
std::atomic<int> received{0};
std::unique_ptr<PublisherClient> publisher;
std::unique_ptr<SubscriberClient> subscriber;

bool start(char const* url, char const* topic) {
    topicOfAll = topic;
    received = 0;
    publisher = std::make_unique<PublisherClient>();
    subscriber = std::make_unique<SubscriberClient>();
    subscriber->subscribe(topic, [](std::string&&) {
        ++received;
        received.notify_all();
    });
    return subscriber->connectToHub("library", url) == Error::ok && publisher->connectToHub("library", url) == Error::ok &&
           subscriber->waitUntilSubscribed(kPatience) == Error::ok;
}

bool publish(int count) {
    for (int i = 0; i < count; ++i) publisher->publish(topicOfAll, "message " + std::to_string(i));
    return publisher->flush(kPatience) == Error::ok;
}

bool receive(int count) {
    for (auto now = received.load(); now < count; now = received.load()) received.wait(now);
    return received == count;
}

void stop() {
    publisher.reset();
    subscriber.reset();
}

bool useSingletons(char const* url, int count) {
    static std::atomic<bool> came{false};
    getSubscriberClient().subscribe("singletons", [](std::string&&) {
        came = true;
        came.notify_all();
    });
    getSubscriberClient().connectToHub("library", url);
    getPublisherClient().connectToHub("library", url);
    if (getSubscriberClient().waitUntilSubscribed(kPatience) != Error::ok) return false;
    for (int i = 0; i < count; ++i) getPublisherClient().publish("singletons", "x");
    came.wait(false);
    return true;
}

void closeWhileResolving(char const* url, void (*untilResolving)()) {
    PublisherClient client;
    client.connectToHub("library", url);
    untilResolving();
}

void destroyInCallback(void (*afterwards)()) {
    subscriber->subscribe("destroy", [afterwards](std::string&&) {
        subscriber.reset();
        afterwards();
    });
    subscriber->waitUntilSubscribed(kPatience);
    publisher->publish("destroy", "x");
}

constexpr SdkLibrary kLibrary{start, publish, receive, stop, useSingletons, closeWhileResolving, destroyInCallback};

}  // namespace

extern "C" __attribute__((visibility("default"))) SdkLibrary const* sdkLibrary() { return &kLibrary; }
