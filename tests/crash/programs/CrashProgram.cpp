#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "PublisherClient.hpp"
#include "SubscriberClient.hpp"

/// A program with the SDK for tests that kill hubs. It ends when its stdin does; exit code 1 with a line on stderr if something is wrong.
///
///     crash-program subscribe URL TOPIC      prints "subscribed"
///     crash-program count URL PATTERN        prints "subscribed", and at the first message "marker" what came before it:
///                                            "received N dropped N wrong N"
///     crash-program hold URL TOPIC           prints "subscribed", and in the callback of the first message "holding"; the callback
///                                            returns at the end of stdin. Then prints "marker" when one comes
///     crash-program sigpipe URL              publishes from four threads; prints "ready" and "disconnected" as they come

namespace {

using namespace gazellemq;
using namespace std::chrono_literals;

void say(char const* line) {
    std::puts(line);
    std::fflush(stdout);
}

int fail(char const* what) {
    std::fprintf(stderr, "crash-program: %s\n", what);
    return 1;
}

void waitForEndOfInput() {
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) continue;
}

int subscribe(char const* url, char const* topic) {
    client::SubscriberClient client;
    client.subscribe(topic, [](std::string&&) {});
    client.connectToHub("crash-program", url);
    if (client.waitUntilSubscribed(30s) != Error::ok) return fail("cannot subscribe");
    say("subscribed");
    waitForEndOfInput();
    return 0;
}

int count(char const* url, char const* pattern) {
    unsigned long received = 0, dropped = 0, wrong = 0, next = 0;
    auto told = false;
    client::SubscriberClient client;  // one thread runs all its callbacks
    client.onError([&](Error, std::string_view) { ++wrong; });
    client.onDropped([&](std::string_view, std::uint64_t messages) { dropped += messages; });
    client.subscribe(pattern, [&](client::Message const& message) {
        if (message.payload == "marker") {
            if (std::exchange(told, true)) return;
            std::printf("received %lu dropped %lu wrong %lu\n", received, dropped, wrong);
            std::fflush(stdout);
            return;
        }
        wrong += message.offset < next;
        next = message.offset + 1;
        ++received;
    });
    client::SubscriberOptions options;
    options.heartbeat = 5min;  // it may be frozen
    client.connectToHub("crash-program", url, options);
    if (client.waitUntilSubscribed(30s) != Error::ok) return fail("cannot subscribe");
    say("subscribed");
    waitForEndOfInput();
    return 0;
}

int hold(char const* url, char const* topic) {
    auto held = false;
    client::SubscriberClient client;
    client.subscribe(topic, [&](client::Message const& message) {
        if (message.payload == "marker") return say("marker");
        if (std::exchange(held, true)) return;
        say("holding");
        waitForEndOfInput();
    });
    client.connectToHub("holder", url);
    if (client.waitUntilSubscribed(30s) != Error::ok) return fail("cannot subscribe");
    say("subscribed");
    while (true) ::pause();
}

struct Signals {
    struct sigaction pipe;
    sigset_t blocked;

    static Signals now() {
        Signals signals{};
        ::sigaction(SIGPIPE, nullptr, &signals.pipe);
        ::pthread_sigmask(SIG_BLOCK, nullptr, &signals.blocked);
        return signals;
    }
    bool areDefaults() const {
        return pipe.sa_handler == SIG_DFL && pipe.sa_flags == 0 && ::sigismember(&blocked, SIGPIPE) == 0;
    }
};

/// `yes | head -1`: does `yes` end by SIGPIPE when its reader has gone?
bool yesDiesOfSigpipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    auto const pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        ::execlp("yes", "yes", nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    std::array<char, 2> line{};
    auto const came = ::read(ends[0], line.data(), line.size()) > 0;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return came && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
}

int sigpipe(char const* url) {
    if (!Signals::now().areDefaults()) return fail("it did not start with the default SIGPIPE");
    client::PublisherOptions options;
    options.whenFull = client::WhenFull::fail;
    options.maxBufferedBytes = 1024 * 1024;
    options.backoffMin = 1ms;
    options.backoffMax = 20ms;
    auto up = false;
    client::PublisherClient publisher;
    publisher.onStateChange([&up](client::StateChange const& change) {
        auto const ready = change.state == client::State::ready;
        // Attempts that fail are not losses of a link.
        if (ready || (change.state == client::State::disconnected && up)) say(ready ? "ready" : "disconnected");
        if (change.state != client::State::connecting) up = ready;
    });
    publisher.connectToHub("crash-program", url, options);
    std::atomic<bool> stop{false};
    std::atomic<bool> changed{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, topic = "sigpipe." + std::to_string(i)] {
            std::string const payload(500, 'x');
            while (!stop) {
                for (int n = 0; n < 100; ++n) publisher.publish(topic, payload);
                if (!Signals::now().areDefaults()) changed = true;
            }
        });
    }
    waitForEndOfInput();
    stop = true;
    for (auto& thread : threads) thread.join();
    if (changed || !Signals::now().areDefaults()) return fail("the SDK has changed the program's SIGPIPE");
    if (!yesDiesOfSigpipe()) return fail("a child of the program does not die of SIGPIPE");
    publisher.close(5s);
    if (!Signals::now().areDefaults()) return fail("closing has changed the program's SIGPIPE");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 4 && std::string_view{argv[1]} == "subscribe") return subscribe(argv[2], argv[3]);
    if (argc == 4 && std::string_view{argv[1]} == "count") return count(argv[2], argv[3]);
    if (argc == 4 && std::string_view{argv[1]} == "hold") return hold(argv[2], argv[3]);
    if (argc == 3 && std::string_view{argv[1]} == "sigpipe") return sigpipe(argv[2]);
    return fail("see the head of its source");
}
