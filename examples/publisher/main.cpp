// Publishes messages to the topic "login". Start examples/subscriber first to see all of them arrive.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string_view>

#include "PublisherClient.hpp"

using gazellemq::Error;

namespace {

// 86 bytes, as many applications send.
constexpr std::string_view kPayload =
    R"([{"email":"d@hotmail.com","user":"d.gazelle","device":"browser","time":1700000000000}])";
static_assert(kPayload.size() == 86);

double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int fail(std::string_view what, Error error) {
    std::cerr << what << ": " << describe(error) << "\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t messages = 1'000'000;
    char const* host = "localhost";
    std::uint16_t port = 5875;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::string_view{argv[i]} == "--messages") messages = std::strtoull(argv[i + 1], nullptr, 10);
        if (std::string_view{argv[i]} == "--host") host = argv[i + 1];
        if (std::string_view{argv[i]} == "--port") port = static_cast<std::uint16_t>(std::atoi(argv[i + 1]));
    }

    auto& client = gazellemq::client::getPublisherClient();
    client.connectToHub("ExamplePublisher", host, port);

    std::cout << std::fixed << std::setprecision(1);
    auto const start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < messages; ++i) {
        if (auto const error = client.publish("login", kPayload); error != Error::ok)
            return fail("publish", error);
    }
    std::cout << "published " << messages << " messages in " << millisecondsSince(start) << " ms\n";

    if (auto const error = client.flush(std::chrono::minutes{1}); error != Error::ok)
        return fail("flush", error);
    std::cout << "all confirmed by the hub after " << millisecondsSince(start) << " ms\n";
}
