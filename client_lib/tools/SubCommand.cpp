#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>

#include "Command.hpp"
#include "FirstLink.hpp"
#include "SubscriberClient.hpp"
#include "Table.hpp"

namespace gazellemq::tools {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAtSignals = 100ms;

volatile std::sig_atomic_t interrupted = 0;

struct Settings {
    std::vector<std::string> patterns;
    std::uint64_t count = 0;
    bool raw = false;
};

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// One line a message. Payloads that are no text are shown with their bad bytes replaced; --raw shows them as they are.
void print(client::Message const& message, Settings const& settings, bool json) {
    if (json) {
        print(Json{{"topic", message.topic}, {"offset", message.offset}, {"time_ns", message.receiveTimeNs}, {"payload", message.payload}}
                  .dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (settings.raw) {
        print(message.payload);
    } else {
        print("[" + printable(message.topic) + "] " + printable(message.payload));
    }
    print("\n");
}

int subscribe(Global const& global, Settings const& settings) {
    FirstLink link;
    client::SubscriberClient client;
    client.onStateChange([&](client::StateChange const& change) { link.note(change); });
    client.onError([](Error, std::string_view reason) { std::cerr << "gazelle: " << printable(reason) << "\n"; });
    client.onDropped([](std::string_view topic, std::uint64_t messages) {
        std::cerr << "gazelle: " << messages << " messages of " << printable(topic) << " were dropped by the hub: this program is too slow\n";
    });
    for (auto const& pattern : settings.patterns) {
        if (auto const error = client.subscribe(pattern).error(); error != Error::ok) {
            throw Failure{error, "'" + pattern + "': " + std::string{describe(error)}};
        }
    }
    client::SubscriberOptions options;
    options.connectTimeout = global.timeout;
    if (auto const error = client.connectToHub("gazelle sub", global.hub, options); error != Error::ok) {
        throw Failure{error, "'" + global.hub + "': " + std::string{describe(error)}};
    }
    link.wait(global);
    if (auto const error = client.waitUntilSubscribed(global.timeout); error != Error::ok) return kRefused;  // onError has said why
    for (auto const number : {SIGINT, SIGTERM}) std::signal(number, [](int) { interrupted = 1; });
    for (std::uint64_t seen = 0; !interrupted && (settings.count == 0 || seen < settings.count);) {
        auto message = client.receive(0ms);
        if (!message) {
            std::fflush(stdout);
            message = client.receive(kLookAtSignals);
        }
        if (!message) continue;
        print(*message, settings, global.json);
        ++seen;
    }
    std::fflush(stdout);
    return 0;
}

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle sub orders\n"
    "  gazelle sub 'orders.*' 'invoices.>' --json\n"
    "  gazelle sub orders --raw --count 1 > message\n\n"
    "Prints '[topic] message' lines until it is interrupted; control characters are shown as '?', but with --raw.";

}  // namespace

void addSubCommand(CLI::App& program, Global const& global, Commands& commands) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand("sub", "Print the messages of topics");
    app->add_option("PATTERN", settings->patterns, "A topic, or several by wildcards: '*' is one level, '>' the rest")->required();
    app->add_option("--count", settings->count, "End after so many messages; 0: never")->capture_default_str()->type_name("N");
    app->add_flag("--raw", settings->raw, "Only the messages, as they are");
    app->footer(kExamples);
    commands.push_back({app, [&global, settings] { return subscribe(global, *settings); }});
}

}  // namespace gazellemq::tools
