// Receives messages of the topic "login" and tells how long they took.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>

#include "SubscriberClient.hpp"

using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
    std::uint64_t messages = 1'000'000;
    char const* host = "localhost";
    std::uint16_t port = 5875;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::string_view{argv[i]} == "--messages") messages = std::strtoull(argv[i + 1], nullptr, 10);
        if (std::string_view{argv[i]} == "--host") host = argv[i + 1];
        if (std::string_view{argv[i]} == "--port") port = static_cast<std::uint16_t>(std::atoi(argv[i + 1]));
    }

    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    Clock::time_point first;
    std::promise<Clock::time_point> last;

    auto& client = gazellemq::client::getSubscriberClient();
    client
        .subscribe("login",
                   [&](std::string&& message) {
                       if (++count == 1) first = Clock::now();
                       bytes += message.size();
                       if (count == messages) last.set_value(Clock::now());
                   })
        .connectToHub("ExampleSubscriber", host, port);

    while (client.waitUntilSubscribed(std::chrono::seconds{5}) != gazellemq::Error::ok) {
        std::cerr << "waiting for a hub on " << host << ":" << port << "\n";
    }
    std::cout << "ready" << std::endl;

    auto const elapsed = std::chrono::duration<double>(last.get_future().get() - first).count();
    client.close();  // no callback uses our variables from here on
    std::cout << std::fixed << std::setprecision(1) << "received " << messages << " messages, " << bytes
              << " bytes, in " << elapsed * 1e3 << " ms: " << static_cast<double>(messages) / elapsed
              << " messages/s\n";
}
