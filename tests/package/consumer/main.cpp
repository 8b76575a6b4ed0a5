// A user's program: a hub, a subscriber and a publisher. Ends with 0 when a message has gone all the way.
#include <chrono>
#include <future>
#include <iostream>
#include <string>
#include <utility>

#include <PublisherClient.hpp>
#include <SubscriberClient.hpp>
#include <gazellemq/hub/Server.hpp>

#include "second.hpp"

namespace {

using namespace std::chrono_literals;

bool good(char const* what, gazellemq::Error error) {
    if (error != gazellemq::Error::ok) std::cerr << what << ": " << gazellemq::describe(error) << '\n';
    return error == gazellemq::Error::ok;
}

}  // namespace

int main() {
    gazellemq::hub::ServerOptions options;
    options.listen = {"tcp://127.0.0.1:0"};
    gazellemq::hub::Server server{std::move(options)};
    server.start();

    std::promise<std::string> promise;
    auto arrived = promise.get_future();
    gazellemq::client::SubscriberClient subscriber;
    subscriber.subscribe("greeting", [&promise](std::string&& message) { promise.set_value(std::move(message)); });
    if (!good("connect", subscriber.connectToHub("subscriber", server.urls().front()))) return 1;
    if (!good("subscribe", subscriber.waitUntilSubscribed(10s))) return 1;

    gazellemq::client::PublisherClient publisher;
    if (!good("connect", publisher.connectToHub("publisher", "localhost", server.port()))) return 1;
    if (!good("publish", publisher.publish("greeting", "hello"))) return 1;
    if (!good("flush", publisher.flush(10s))) return 1;
    if (arrived.wait_for(10s) != std::future_status::ready || arrived.get() != "hello") {
        std::cerr << "the message did not arrive\n";
        return 1;
    }
    return freeFunctionsWork() ? 0 : 1;
}
