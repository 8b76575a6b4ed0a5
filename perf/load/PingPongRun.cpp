#include "PingPongRun.hpp"

#include "HubRun.hpp"
#include "LatencyJson.hpp"
#include "Measurement.hpp"
#include "RelayRun.hpp"
#include "SocketFolder.hpp"

namespace gazellemq::perf {
namespace {

/// Both are ready.
RunResult play(Crew& crew, Crew::Member& pinger, Crew::Member& ponger) {
    crew.tell({&pinger}, "go");
    crew.await({&pinger}, "complete");
    crew.tell({&pinger, &ponger}, "finish");
    RunResult run;
    auto const results = crew.await({&pinger, &ponger}, "result");
    for (auto const& result : results) run.verdict += verdictOf(result);
    run.latency = results.front().at("latency").get<Latency>();
    return run;
}

RunResult playOn(HubProcess* hub, RoleSpec const& spec) {
    Crew crew{spec.timeout()};
    if (hub != nullptr) crew.watch(hub->process());
    auto& ponger = crew.start("ponger", role::kPonger, spec);
    auto& pinger = crew.start("pinger", role::kPinger, spec);
    crew.await({&pinger, &ponger}, "ready");
    return play(crew, pinger, ponger);
}

}  // namespace

RunResult runPingPong(Workload const& workload, Route const& route) {
    return runOnHub(workload, route, [](RoleSpec const& spec, HubProcess* hub) { return playOn(hub, spec); });
}

RunResult runPingPongThroughRelays(Workload const& workload, Route const& route) {
    SocketFolder const folder{route.transport};
    RoleSpec spec;
    spec.workload = workload;
    spec.timeoutMs = static_cast<std::uint64_t>(route.timeout.count());
    Crew crew{route.timeout};
    spec.relay = folder.address("back");
    startRelay(crew, "relay back", spec);
    spec.relayBack = std::exchange(spec.relay, folder.address("there"));
    startRelay(crew, "relay there", spec);

    // Each relay takes its subscriber before its publisher.
    auto& ponger = crew.start("raw ponger", role::kRawPonger, spec);
    crew.await({&ponger}, "connected");
    auto& pinger = crew.start("raw pinger", role::kRawPinger, spec);
    crew.await({&pinger}, "ready");
    crew.tell({&ponger}, "go");
    crew.await({&ponger}, "ready");
    return play(crew, pinger, ponger);
}

}  // namespace gazellemq::perf
