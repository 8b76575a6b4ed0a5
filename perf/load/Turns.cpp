#include "Turns.hpp"

#include <iostream>

namespace gazellemq::perf {

void takeTurns(std::uint64_t runs, Turns const& turns, Series& hub, Series& base) {
    auto const add = [&](Series& series, std::function<RunResult()> const& run) {
        series.runs.push_back(run());
        std::cerr << "run " << series.runs.size() << "/" << runs << " " << turns.line(series) << "\n";
    };
    while (hub.runs.size() < runs && hub.verdict().clean() && base.verdict().clean()) {
        if (turns.base) add(base, turns.base);
        add(hub, turns.hub);
    }
}

}  // namespace gazellemq::perf
