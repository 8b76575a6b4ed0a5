#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "PublisherClient.hpp"
#include "SubscriberClient.hpp"

/// A program that uses the SDK and then ends, in the way that its first argument names. Run by ExitTest.
///
///     exit-program WAY PORT [COUNT]

namespace {

using gazellemq::Error;
using namespace gazellemq::client;
using namespace std::chrono_literals;

/// Uses the singletons when they are closed: this one is made before them, so it is destroyed after them.
struct UsesAfterMain {
    ~UsesAfterMain() {
        if (!armed) return;
        auto const good = getPublisherClient().publish("t", "late") == Error::closed &&
                          getPublisherClient().flush(10s) == Error::closed && getPublisherClient().close(10s) == 0 &&
                          getPublisherClient().state() == State::closed &&
                          getSubscriberClient().subscribe("t", [](std::string&&) {}).error() == Error::closed &&
                          getSubscriberClient().state() == State::closed;
        getSubscriberClient().close();
        std::puts(good ? "closed after main" : "not closed after main");
        std::fflush(stdout);
    }
    bool armed = false;
} usesAfterMain;

void publishAll(PublisherClient& client, std::uint16_t port, int count) {
    client.connectToHub("exit-program", "127.0.0.1", port);
    for (int i = 0; i < count; ++i) client.publish("t", "message " + std::to_string(i));
}

/// Subscribes to a topic, publishes to it and calls `what` in the callback.
void inCallback(std::uint16_t port, std::function<void()> what) {
    auto& subscriber = getSubscriberClient();
    subscriber.subscribe("self", [what](std::string&&) { what(); });
    subscriber.connectToHub("exit-program", "127.0.0.1", port);
    if (subscriber.waitUntilSubscribed(20s) != Error::ok) std::_Exit(3);
    publishAll(getPublisherClient(), port, 5);
    getPublisherClient().publish("self", "go");
    std::this_thread::sleep_for(1h);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    std::string_view const way = argv[1];
    auto const port = static_cast<std::uint16_t>(std::atoi(argv[2]));
    auto const count = argc > 3 ? std::atoi(argv[3]) : 0;

    if (way == "return") {
        publishAll(getPublisherClient(), port, count);
    } else if (way == "exit") {
        publishAll(getPublisherClient(), port, count);
        std::exit(0);
    } else if (way == "exit-on-another-thread") {
        std::thread([&] {
            publishAll(getPublisherClient(), port, count);
            std::exit(0);
        }).join();
    } else if (way == "static-object") {
        static PublisherClient client;
        publishAll(client, port, count);
    } else if (way == "exit-in-callback") {
        inCallback(port, [] { std::exit(0); });
    } else if (way == "exit-while-callback-runs") {
        static std::atomic<bool> runs{false};
        std::thread([port] {
            inCallback(port, [] {
                runs = true;
                runs.notify_one();
                std::this_thread::sleep_for(50ms);
            });
        }).detach();
        runs.wait(false);
    } else if (way == "after-main") {
        usesAfterMain.armed = true;
        getSubscriberClient().subscribe("t", [](std::string&&) {});
        getSubscriberClient().connectToHub("exit-program", "127.0.0.1", port);
        publishAll(getPublisherClient(), port, count);
    } else if (way == "never-connected") {
        getSubscriberClient().subscribe("t", [](std::string&&) {});
        for (int i = 0; i < count; ++i) getPublisherClient().publish("t", "x");
    } else if (way == "untouched") {
        return 0;
    } else {
        return 2;
    }
    return 0;
}
