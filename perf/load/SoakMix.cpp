#include "SoakMix.hpp"

#include <algorithm>

#include "Measurement.hpp"
#include "Meters.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kSteadyPairs = 2;
constexpr std::uint64_t kChurners = 2;
constexpr std::uint64_t kSteadyRate = 5000;
constexpr std::uint64_t kRestlessRate = 100'000;
constexpr std::chrono::milliseconds kBetweenKills{1000};
/// More messages than any soak can publish: how many it will be is not known before the end.
constexpr std::uint64_t kEndless = 1'000'000'000'000'000;

}  // namespace

SoakMix::SoakMix(std::string const& url, HubProcess* hub, std::chrono::milliseconds timeout)
    : url_(url),
      prefix_("soak." + std::to_string(monotonicNs())),
      timeoutMs_(static_cast<std::uint64_t>(timeout.count())),
      crew_(timeout) {
    if (hub != nullptr) crew_.watch(hub->process());
    for (std::uint64_t i = 0; i < kSteadyPairs; ++i) addSteadyPair(std::to_string(i));
    auto const restless = prefix_ + ".restless";
    addRestless("slow subscriber", role::kSlowSubscriber, specOf(topicName(restless, 0), 0));
    addRestless("slow subscriber by pattern", role::kSlowSubscriber, specOf(restless + ".*", 0));
    addRestless("restless publisher", role::kSteadyPublisher, specOf(restless, kRestlessRate));
    for (std::uint64_t i = 0; i < kChurners; ++i) {
        auto const name = std::to_string(i);
        churners_.push_back(
            &crew_.start("churner " + name, role::kChurner, specOf(prefix_ + ".churn." + name, 0)));
    }
    for (auto const* members : {&subscribers_, &publishers_, &churners_}) crew_.await(*members, "ready");
    crew_.tell(subscribers_, "go");
    crew_.tell(publishers_, "go");
}

RoleSpec SoakMix::specOf(std::string const& topicPrefix, std::uint64_t rate) {
    RoleSpec spec;
    spec.workload.messages = kEndless;
    spec.workload.rate = rate;
    spec.hub = url_;
    spec.topicPrefix = topicPrefix;
    spec.timeoutMs = timeoutMs_;
    return spec;
}

void SoakMix::addSteadyPair(std::string const& name) {
    auto const spec = specOf(prefix_ + ".steady." + name, kSteadyRate);
    subscribers_.push_back(&crew_.start("steady subscriber " + name, role::kSubscriber, spec));
    publishers_.push_back(&crew_.start("steady publisher " + name, role::kSteadyPublisher, spec));
}

void SoakMix::addRestless(std::string const& title, std::string_view role, RoleSpec const& spec) {
    startRestless(restless_.emplace_back(Restless{title, role, spec, nullptr}));
}

void SoakMix::startRestless(Restless& restless) {
    restless.member = &crew_.start(restless.title, restless.role, restless.spec);
    crew_.await({restless.member}, "ready");
    crew_.tell({restless.member}, "go");
}

void SoakMix::run(std::chrono::milliseconds time) {
    using Clock = std::chrono::steady_clock;
    for (auto const end = Clock::now() + time; Clock::now() < end;) {
        crew_.attend(kBetweenKills);
        auto& victim = restless_[nextVictim_++ % restless_.size()];
        crew_.dismiss(*victim.member);
        startRestless(victim);
        ++tally_.killed;
    }
}

SoakTally SoakMix::stop() {
    crew_.tell(churners_, "stop");
    crew_.tell(publishers_, "stop");
    for (auto const& result : crew_.await(churners_, "result"))
        tally_.rounds += result.at("rounds").get<std::uint64_t>();
    auto const published = crew_.await(publishers_, "result");
    for (auto& restless : restless_) crew_.dismiss(*restless.member);
    crew_.tell(subscribers_, "published");
    crew_.await(subscribers_, "complete");
    crew_.tell(subscribers_, "finish");
    auto const received = crew_.await(subscribers_, "result");
    for (std::size_t i = 0; i < received.size(); ++i) {
        auto const count = published[i].at("messages").get<std::uint64_t>();
        auto verdict = verdictOf(received[i]);
        verdict.lost -= kEndless - count;
        tally_.messages += count;
        tally_.verdict += verdict;
    }
    return tally_;
}

}  // namespace gazellemq::perf
