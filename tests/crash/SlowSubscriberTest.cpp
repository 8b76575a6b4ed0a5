#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <list>
#include <memory>

#include "Canary.hpp"
#include "RawClient.hpp"
#include "TwoWayHub.hpp"

/// B08: subscribers that do not read, beside such that do. A few seconds each; with GAZELLE_TEST_FULL=1 as long and as much as the
/// entry says (30 s at 20 MB/s), and what came out is printed.
namespace gazellemq::test {
namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;

constexpr char const* kTopic = "b08.stream";
constexpr std::size_t kMessageBytes = 1000;
constexpr std::chrono::milliseconds kBeat = 10ms;
constexpr std::size_t kMegabyte = 1024 * 1024;

bool full() { return std::getenv("GAZELLE_TEST_FULL") != nullptr; }

struct Load {
    std::chrono::milliseconds time = 2s;
    std::size_t bytesPerSecond = 6'000'000;
    std::size_t windowBytes = kMegabyte;

    static Load chosen() { return full() ? Load{30s, 20'000'000, 8 * kMegabyte} : Load{}; }
};

struct Policy {
    char const* name;
    char const* pattern;  // of the slow ones; the good ones subscribe by name and block
    std::vector<std::string> options;
    char const* reason;  // of a link that the hub ends
};

std::vector<Policy> const kPolicies{
    {"block", kTopic, {"--stall-limit", "500ms"}, "stalled"},
    {"dropOldest", "b08.*", {}, nullptr},
    {"disconnect", "b08.*", {"--slow-wildcard", "disconnect"}, "slowConsumer"},
};

/// With heartbeats so short that it would notice if the hub did not answer for a while.
template <typename Options>
Options attentive() {
    Options options;
    options.heartbeat = 100ms;
    return options;
}

/// A subscriber that checks what it gets.
struct GoodSubscriber {
    std::atomic<std::uint64_t> count{0};
    std::atomic<int> losses{0};
    StampCheck check;
    client::SubscriberClient client;

    explicit GoodSubscriber(std::string const& url) {
        client.onStateChange([this](client::StateChange const& change) { losses += change.state == client::State::disconnected; });
        client.subscribe(kTopic, [this](client::Message const& message) {
            if (message.payload == "marker") return;
            check.take(message.payload);
            ++count;
        });
        client.connectToHub("good", url, attentive<client::SubscriberOptions>());
        EXPECT_EQ(client.waitUntilSubscribed(kPatience), Error::ok);
    }
};

/// A subscriber in raw bytes that reads little or nothing until the end.
class SlowSubscriber {
  public:
    SlowSubscriber(std::unique_ptr<RawClient> client, std::string const& pattern) : client_(std::move(client)) {
        EXPECT_TRUE(client_->greet("slow"));
        EXPECT_EQ(client_->subscribe(1, pattern), Error::ok);
    }

    void sip(std::size_t bytes) {
        if (client_->readable(0ms)) client_->readSome(bytes);
    }
    /// Reads on until every message is accounted for, or the hub has ended the link.
    void catchUp(std::uint64_t published) {
        client_->setReceiveBuffer(kMegabyte);
        client_->readUntil([&] { return received() + dropped() >= published; });
        EXPECT_EQ(client_->received().problem(), "");
    }

    std::uint64_t received() const { return client_->received().messages().size(); }
    std::uint64_t dropped() const {
        std::uint64_t sum = 0;
        for (auto const& told : client_->received().all<protocol::Dropped>()) sum += told.count;
        return sum;
    }
    bool cut() const { return client_->end() != RawClient::End::open; }

  private:
    std::unique_ptr<RawClient> client_;
};

/// Publishes at a steady rate, whatever the hub does.
class Source {
  public:
    Source(std::string const& url, std::size_t bytesPerSecond)
        : perBeat_(bytesPerSecond / kMessageBytes * static_cast<std::size_t>(kBeat.count()) / 1000) {
        client_.onStateChange([this](client::StateChange const& change) { losses_ += change.state == client::State::disconnected; });
        client_.connectToHub("source", url, attentive<client::PublisherOptions>());
    }

    void beat() {
        for (std::size_t i = 0; i < perBeat_; ++i) {
            EXPECT_EQ(client_.publish(kTopic, stamped(0, published_, kMessageBytes)), Error::ok);
            ++published_;
        }
    }
    void mark() { EXPECT_EQ(client_.publish(kTopic, "marker"), Error::ok); }
    void flush() { EXPECT_EQ(client_.flush(kPatience), Error::ok); }
    std::uint64_t published() const { return published_; }
    int losses() const { return losses_; }

  private:
    std::size_t perBeat_;
    std::uint64_t published_ = 0;
    std::atomic<int> losses_{0};
    client::PublisherClient client_;
};

/// Looks all the time whether another topic is served, and how long that takes.
class Watch {
  public:
    explicit Watch(std::string const& url) : canary_(url) {
        for (int i = 0; i < 20; ++i) look();
        slowestBefore_ = *std::max_element(times_.begin(), times_.end());
        times_.clear();
        thread_ = std::thread{[this] {
            while (!over_.wait(2 * kBeat) && trouble_.empty()) look();
        }};
    }
    ~Watch() { end(); }
    /// What is wrong, or "". Compared with itself only, and with much reserve, as the machine may do other things.
    std::string end() {
        over_.open();
        if (thread_.joinable()) thread_.join();
        if (!trouble_.empty()) return trouble_;
        if (times_.size() < 10) return "the canary came round only " + std::to_string(times_.size()) + " times";
        std::sort(times_.begin(), times_.end());
        if (median() <= 50 * slowestBefore_) return {};
        return "the canary was slowed from " + std::to_string(slowestBefore_.count()) + " ns at most to " +
               std::to_string(median().count()) + " ns at the median";
    }
    std::chrono::nanoseconds median() const { return times_[times_.size() / 2]; }
    std::chrono::nanoseconds slowestBefore() const { return slowestBefore_; }

  private:
    void look() {
        auto const trouble = canary_.trouble();
        if (trouble_.empty()) trouble_ = trouble;
        times_.push_back(canary_.took());
    }

    Canary canary_;
    std::string trouble_;
    std::vector<std::chrono::nanoseconds> times_;
    std::chrono::nanoseconds slowestBefore_{0};
    Gate over_;
    std::thread thread_;
};

/// What a program of mode "count" printed.
struct Count {
    unsigned long received = 0, dropped = 0, wrong = 1;

    /// Sends markers until it tells: it may have to come back first.
    static Count of(ChildProcess& program, Source& source) {
        Gate told;
        std::thread marker{[&] {
            do source.mark();
            while (!told.wait(kBeat));
        }};
        auto const line = program.nextLine().value_or("nothing");
        told.open();
        marker.join();
        Count count;
        EXPECT_EQ(std::sscanf(line.c_str(), "received %lu dropped %lu wrong %lu", &count.received, &count.dropped, &count.wrong), 3)
            << line;
        return count;
    }
};

std::size_t occurrences(std::string const& text, std::string_view word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

/// By policy, and over Unix sockets or not.
class SlowSubscribers : public testing::TestWithParam<std::tuple<Policy, bool>> {
  protected:
    Policy const& policy = std::get<0>(GetParam());
    bool const overUnix = std::get<1>(GetParam());

    /// With heartbeats that leave whoever is frozen alone, and an end that does not wait for raw clients.
    std::vector<std::string> options(std::vector<std::string> more) const {
        more.insert(more.end(), policy.options.begin(), policy.options.end());
        more.insert(more.end(), {"--heartbeat", "5m", "--drain-limit", "0s"});
        return more;
    }
};

TEST_P(SlowSubscribers, harm_neither_the_hub_nor_the_others) {
    auto const load = Load::chosen();
    TwoWayHub hub{options({"--window-bytes", std::to_string(load.windowBytes)})};
    auto const url = hub.url(overUnix);
    std::list<GoodSubscriber> good;
    for (int i = 0; i < 5; ++i) good.emplace_back(url);
    SlowSubscriber stopped{hub.connect(overUnix), policy.pattern};
    SlowSubscriber dripping{hub.connect(overUnix), policy.pattern};
    ChildProcess frozen{{.words = {GAZELLE_CRASH_PROGRAM, "count", url, policy.pattern}}};
    ASSERT_EQ(frozen.nextLine(), "subscribed");
    frozen.freeze();
    Source source{url, load.bytesPerSecond};
    source.flush();
    Watch watch{url};
    auto const base = hub.memory("VmRSS:");

    // The rhythm of the publisher and of the one that drips.
    auto const start = steady_clock::now();
    for (auto at = kBeat; at <= load.time; at += kBeat) {
        source.beat();
        if (at % 1s == 0ms) dripping.sip(1024);
        std::this_thread::sleep_until(start + at);
    }
    source.flush();
    EXPECT_EQ(watch.end(), "");
    EXPECT_EQ(source.losses(), 0);
    for (auto& each : good) {
        EXPECT_TRUE(eventually([&] { return each.count == source.published(); })) << each.count << " of " << source.published();
        EXPECT_TRUE(each.check.perfect());
        EXPECT_EQ(each.losses, 0);
    }
    auto const peak = hub.memory("VmHWM:");

    frozen.signal(SIGCONT);
    auto const mayBeCut = policy.reason != nullptr;
    for (auto* slow : {&stopped, &dripping}) {
        slow->catchUp(source.published());
        EXPECT_EQ(slow->cut(), mayBeCut);
        if (mayBeCut) continue;
        EXPECT_EQ(slow->received() + slow->dropped(), source.published());
        EXPECT_GT(slow->dropped(), 0U);
    }
    auto const count = Count::of(frozen, source);
    EXPECT_EQ(count.wrong, 0U) << "no half frame, no disorder";
    if (mayBeCut) {
        EXPECT_TRUE(eventually([&] { return occurrences(hub.log(), policy.reason) == 3; })) << hub.log();
    } else {
        EXPECT_EQ(count.received + count.dropped, source.published());
        EXPECT_THAT(hub.log(), testing::Not(HasSubstr("disconnected")));
    }

    // The window, in buffers that batches at this pace fill to a half and more; a write's worth for each link; the buffers that are
    // kept for reuse.
    auto const bound = base + (2 * load.windowBytes + 11 * 256 * 1024 + 16 * 128 * 1024) * 6 / 5;
    if (full()) {
        std::printf("%lu published; memory: base %.1f MB, peak %.1f MB, bound %.1f MB; canary: %.2f ms at most before, then %.2f ms at "
                    "the median; received and dropped: stopped %lu, %lu; dripping %lu, %lu; frozen %lu, %lu\n",
                    source.published(), static_cast<double>(base) / 1e6, static_cast<double>(peak) / 1e6,
                    static_cast<double>(bound) / 1e6, static_cast<double>(watch.slowestBefore().count()) / 1e6,
                    static_cast<double>(watch.median().count()) / 1e6, stopped.received(), stopped.dropped(), dripping.received(),
                    dripping.dropped(), count.received, count.dropped);
    }
    if (kMemoryTells) {
        EXPECT_LE(peak, bound);
    }
    EXPECT_EQ(hub.stop(), "exit 0");
}

// Each topic alone would be allowed to hold more than all together.
TEST_P(SlowSubscribers, of_many_topics_hold_no_more_memory_than_the_hub_may_use) {
    constexpr std::size_t kTopics = 12;
    constexpr std::size_t kMost = 16 * kMegabyte;
    auto const blocks = std::string_view{policy.name} == "block";
    // Longer stalls than the policy's: no reader goes away meanwhile.
    auto all = options({"--window-bytes", "8MB", "--max-memory", std::to_string(kMost)});
    std::replace(all.begin(), all.end(), std::string{"500ms"}, std::string{"5m"});
    TwoWayHub hub{all};
    std::vector<std::unique_ptr<SlowSubscriber>> slow;
    for (std::size_t i = 0; i < kTopics; ++i) {
        auto const topic = "b08." + std::to_string(i);
        slow.push_back(std::make_unique<SlowSubscriber>(hub.connect(overUnix), blocks ? topic : topic + ".*"));
    }
    Gate memoryFull;
    client::PublisherClient publisher;
    publisher.onError([&](Error error, std::string_view) {
        if (error == Error::hubMemoryFull) memoryFull.open();
    });
    auto publisherOptions = client::PublisherOptions{};
    publisherOptions.maxBufferedBytes = 128 * kMegabyte;
    publisher.connectToHub("publisher", hub.url(overUnix), publisherOptions);
    auto const base = hub.memory("VmRSS:");

    constexpr std::uint64_t kMessages = 5'000;  // of each topic, 60 MB in all
    for (std::uint64_t i = 0; i < kMessages * kTopics; ++i) {
        auto const topic = "b08." + std::to_string(i % kTopics) + (blocks ? "" : ".x");
        ASSERT_EQ(publisher.publish(topic, stamped(0, i, kMessageBytes)), Error::ok);
    }
    if (blocks) {
        EXPECT_TRUE(memoryFull.wait());
    } else {
        EXPECT_EQ(publisher.flush(kPatience), Error::ok) << "they slow nobody";
    }
    if (kMemoryTells) {
        EXPECT_LE(hub.memory("VmHWM:"), base + kMost * 6 / 5 + kTopics * 256 * 1024);
    }
    // Those that block get everything in the end.
    std::vector<std::thread> readers;
    for (auto& each : slow) readers.emplace_back([&] { each->catchUp(kMessages); });
    for (auto& reader : readers) reader.join();
    for (auto const& each : slow) {
        if (!each->cut()) {
            EXPECT_EQ(each->received() + each->dropped(), kMessages);
        }
        if (blocks) {
            EXPECT_EQ(each->received(), kMessages);
        }
    }
    EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    EXPECT_EQ(hub.stop(), "exit 0");
}

INSTANTIATE_TEST_SUITE_P(By, SlowSubscribers, testing::Combine(testing::ValuesIn(kPolicies), testing::Bool()),
                         [](auto const& parameters) {
                             return std::string{std::get<0>(parameters.param).name} +
                                    (std::get<1>(parameters.param) ? "_over_Unix" : "_over_TCP");
                         });

/// Over Unix sockets or not.
class StalledSubscriber : public testing::TestWithParam<bool> {};

TEST_P(StalledSubscriber, stalls_the_others_once_and_comes_back_when_its_callback_has_returned) {
    TwoWayHub hub{{"--window-bytes", "1MB", "--stall-limit", "300ms"}};
    auto const url = hub.url(GetParam());
    GoodSubscriber good{url};
    ChildProcess holder{{.words = {GAZELLE_CRASH_PROGRAM, "hold", url, kTopic}}};
    ASSERT_EQ(holder.nextLine(), "subscribed");
    Source source{url, kMegabyte * 100};
    // Each round is more than the hub and the program hold together.
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 10; ++i) source.beat();
        source.flush();
        EXPECT_TRUE(eventually([&] { return good.count == source.published(); }));
        EXPECT_TRUE(eventually([&] { return occurrences(hub.log(), "stalled") > 0; }));
        EXPECT_EQ(occurrences(hub.log(), "stalled"), 1U) << hub.log();
    }
    EXPECT_EQ(holder.nextLine(), "holding");
    EXPECT_EQ(occurrences(hub.log(), "'holder'"), 1U) << "it was not there again";
    holder.closeInput();
    Gate back;
    std::thread marker{[&] {
        do source.mark();
        while (!back.wait(kBeat));
    }};
    EXPECT_EQ(holder.nextLine(), "marker");
    back.open();
    marker.join();
    EXPECT_EQ(good.losses + source.losses(), 0);
    EXPECT_EQ(hub.stop(), "exit 0");
}

INSTANTIATE_TEST_SUITE_P(Over, StalledSubscriber, testing::Bool(),
                         [](auto const& parameters) { return std::string{parameters.param ? "Unix" : "TCP"}; });

}  // namespace
}  // namespace gazellemq::test
