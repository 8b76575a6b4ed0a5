#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "Command.hpp"
#include "FirstLink.hpp"
#include "PublisherClient.hpp"
#include "Table.hpp"

namespace gazellemq::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
    std::string topic;
    std::string message = "-";
    std::uint64_t count = 1;
    double rate = 0;
};

/// A client, and what the hub refused of what it published.
class Publisher {
  public:
    explicit Publisher(Global const& global) : global_(global) {
        client_.onStateChange([this](client::StateChange const& change) { link_.note(change); });
        client_.onPublishFailed([this](std::string_view topic, std::uint64_t, Error code, std::string_view reason) {
            std::lock_guard const lock{mutex_};
            refusal_ = Failure{code, "topic '" + std::string{topic} + "': " + std::string{reason}};
        });
        client::PublisherOptions options;
        options.connectTimeout = global.timeout;
        if (auto const error = client_.connectToHub("gazelle pub", global.hub, options); error != Error::ok) {
            throw Failure{error, "'" + global.hub + "': " + std::string{describe(error)}};
        }
        link_.wait(global);
    }

    void publish(std::string const& topic, std::string_view message) {
        if (auto const error = client_.publish(topic, message); error != Error::ok) {
            throw Failure{error, "topic '" + topic + "': " + std::string{describe(error)}};
        }
    }
    /// What became of all of them. Throws the reason if some were not confirmed.
    client::PublisherStats finish() {
        auto confirmed = client_.stats().confirmed;
        auto error = client_.flush(global_.timeout);
        while (error == Error::timeout && client_.stats().confirmed > confirmed) {
            confirmed = client_.stats().confirmed;
            error = client_.flush(global_.timeout);
        }
        auto const stats = client_.stats();
        client_.close(std::chrono::milliseconds{1});  // the callbacks have run then
        std::lock_guard const lock{mutex_};
        if (refusal_.error != Error::ok) throw refusal_;
        if (error != Error::ok) {
            throw Failure{error, std::to_string(stats.published - stats.confirmed) + " of " + std::to_string(stats.published) +
                                     " messages were not confirmed: " + std::string{describe(error)}};
        }
        return stats;
    }

  private:
    Global const& global_;
    FirstLink link_;
    std::mutex mutex_;
    Failure refusal_{Error::ok, {}};
    client::PublisherClient client_;
};

/// Sleeps so that not more than `rate` calls a second return.
class Pace {
  public:
    explicit Pace(double rate) : rate_(rate) {}
    void wait() {
        if (rate_ <= 0) return;
        auto const due = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(static_cast<double>(calls_++) / rate_));
        std::this_thread::sleep_until(due);
    }

  private:
    double const rate_;
    Clock::time_point const start_ = Clock::now();
    std::uint64_t calls_ = 0;
};

int publish(Global const& global, Settings const& settings) {
    Publisher publisher{global};
    Pace pace{settings.rate};
    if (settings.message == "-") {
        for (std::string line; std::getline(std::cin, line);) {
            pace.wait();
            publisher.publish(settings.topic, line);
        }
    } else {
        for (std::uint64_t i = 0; i < settings.count; ++i) {
            pace.wait();
            publisher.publish(settings.topic, settings.message);
        }
    }
    auto const stats = publisher.finish();
    if (global.json) {
        std::cout << Json{{"topic", settings.topic}, {"published", stats.published}, {"confirmed", stats.confirmed}}.dump(2) << "\n";
    } else {
        std::cout << "published " << stats.published << (stats.published == 1 ? " message" : " messages") << " to " << printable(settings.topic) << "\n";
    }
    return 0;
}

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle pub orders 'a message'\n"
    "  gazelle pub orders hello --count 1000 --rate 100\n"
    "  journalctl -f | gazelle pub logs -        every line is a message";

}  // namespace

void addPubCommand(CLI::App& program, Global const& global, Commands& commands) {
    auto const settings = std::make_shared<Settings>();
    auto* app = program.add_subcommand("pub", "Publish a message, or each line of stdin");
    app->add_option("TOPIC", settings->topic, "Where to")->required();
    app->add_option("MESSAGE", settings->message, "What; - or nothing: the lines of stdin");
    app->add_option("--count", settings->count, "How often the message is published")->capture_default_str()->type_name("N");
    app->add_option("--rate", settings->rate, "Messages a second; 0: as fast as possible")->check(CLI::NonNegativeNumber)->capture_default_str()->type_name("N");
    app->footer(kExamples);
    commands.push_back({app, [&global, settings] { return publish(global, *settings); }});
}

}  // namespace gazellemq::tools
