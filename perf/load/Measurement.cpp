#include "Measurement.hpp"

#include <algorithm>
#include <limits>

#include "LatencyJson.hpp"
#include "Meters.hpp"

namespace gazellemq::perf {
namespace {

using Json = nlohmann::json;

/// Figure by figure the worse of two.
void worsen(std::optional<Latency>& sum, Latency const& latency) {
    if (!sum) sum.emplace();
    for (auto const& [name, value] : kLatencyFigures) (*sum).*value = std::max((*sum).*value, latency.*value);
}

RunResult summarize(std::vector<Json> const& published, std::vector<Json> const& received) {
    RunResult run;
    auto start = std::numeric_limits<std::int64_t>::max();
    auto end = std::numeric_limits<std::int64_t>::min();
    for (auto const& publisher : published) {
        start = std::min(start, publisher.at("start_ns").get<std::int64_t>());
        run.publisherCpu += publisher.at("cpu_seconds").get<double>();
    }
    for (auto const& subscriber : received) {
        end = std::max(end, subscriber.at("end_ns").get<std::int64_t>());
        run.subscriberCpu += subscriber.at("cpu_seconds").get<double>();
        run.verdict += verdictOf(subscriber);
        if (subscriber.contains("latency")) worsen(run.latency, subscriber.at("latency").get<Latency>());
    }
    run.seconds = static_cast<double>(end - start) / 1e9;
    return run;
}

}  // namespace

Verdict verdictOf(Json const& result) {
    return {.lost = result.at("lost"),
            .duplicated = result.at("duplicated"),
            .outOfOrder = result.at("out_of_order"),
            .corrupt = result.at("corrupt")};
}

RunResult measure(Crew& crew, Parties const& parties) {
    auto const cpuAtStart = parties.middle ? cpuSecondsOf(*parties.middle) : 0;
    crew.tell(parties.subscribers, "go");
    crew.tell(parties.publishers, "go");
    auto const published = crew.await(parties.publishers, "result");
    crew.tell(parties.subscribers, "published");
    crew.await(parties.subscribers, "complete");
    auto const cpuAtEnd = parties.middle ? cpuSecondsOf(*parties.middle) : 0;
    crew.tell(parties.subscribers, "finish");
    auto run = summarize(published, crew.await(parties.subscribers, "result"));
    if (parties.middle) {
        run.middleCpu = cpuAtEnd - cpuAtStart;
        run.middlePeakBytes = static_cast<double>(peakMemoryBytesOf(*parties.middle));
    }
    return run;
}

}  // namespace gazellemq::perf
