#include "SoakReport.hpp"

#include <nlohmann/json.hpp>

#include "Print.hpp"
#include "VerdictJson.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::uint64_t kToleranceBytes = 16'000'000;
constexpr std::uint64_t kToleranceShare = 10;

std::string megabytes(std::uint64_t bytes) { return print("%.1f MB", static_cast<double>(bytes) / 1e6); }

std::string described(HubHoldings const& holdings) {
    return counted(holdings.connections, "connection") + ", " + counted(holdings.subscriptions, "subscription") + ", " +
           counted(holdings.topics, "topic") + ", " + std::to_string(holdings.bufferBytes) + " bytes in buffers";
}

}  // namespace

std::uint64_t residentLimit(HubState const& base) {
    return base.residentBytes + base.residentBytes / kToleranceShare + kToleranceBytes;
}

nlohmann::ordered_json toJson(SoakResult const& result) {
    auto const& tally = result.tally;
    nlohmann::ordered_json report{{"minutes", result.minutes},
            {"messages", tally.messages},
            {"clients_killed", tally.killed},
            {"churn_rounds", tally.rounds},
            {"base_rss_bytes", result.base.residentBytes},
            {"end_rss_bytes", result.end.residentBytes},
            {"rss_limit_bytes", residentLimit(result.base)},
            {"hub_peak_rss_bytes", result.peakBytes},
            {"base_descriptors", result.base.descriptors},
            {"end_descriptors", result.end.descriptors}};
    for (auto const& [when, state] : {std::pair{"base_", &result.base}, std::pair{"end_", &result.end}}) {
        auto const& holdings = state->holdings;
        report[std::string{when} + "connections"] = holdings.connections;
        report[std::string{when} + "subscriptions"] = holdings.subscriptions;
        report[std::string{when} + "topics"] = holdings.topics;
        report[std::string{when} + "buffer_bytes"] = holdings.bufferBytes;
    }
    addFaults(report, tally.verdict);
    report["ok"] = complaint(result).empty();
    return report;
}

std::string toText(SoakResult const& result) {
    auto const& tally = result.tally;
    return print("%.1f minutes: ", result.minutes) + counted(tally.messages, "message") +
           " between steady pairs, " + counted(tally.killed, "client") + " killed, " +
           counted(tally.rounds, "round") + " of new links and topics\n" +
           "The hub's memory: " + megabytes(result.base.residentBytes) + " after the warm-up, " +
           megabytes(result.end.residentBytes) + " at the end (limit " +
           megabytes(residentLimit(result.base)) + "), at most " + megabytes(result.peakBytes) + "\n" +
           "Its descriptors: " + std::to_string(result.base.descriptors) + " after the warm-up, " +
           std::to_string(result.end.descriptors) + " at the end\n" +
           "It says that it holds " + described(result.base.holdings) + " after the warm-up, " +
           described(result.end.holdings) + " at the end\n";
}

std::string complaint(SoakResult const& result) {
    std::string text;
    auto const& verdict = result.tally.verdict;
    if (!verdict.clean()) {
        text += "The steady subscribers did not get every message once, in order and intact: " +
                std::to_string(verdict.lost) + " lost, " + std::to_string(verdict.duplicated) +
                " duplicated, " + std::to_string(verdict.outOfOrder) + " out of order, " +
                std::to_string(verdict.corrupt) + " corrupt. ";
    }
    if (result.end.residentBytes > residentLimit(result.base)) {
        text += "The hub's memory did not come back: " + megabytes(result.end.residentBytes) +
                " instead of " + megabytes(result.base.residentBytes) + ", more than the limit of " +
                megabytes(residentLimit(result.base)) + ". ";
    }
    if (result.end.descriptors != result.base.descriptors) {
        text += "The hub has " + std::to_string(result.end.descriptors) + " open descriptors instead of " +
                std::to_string(result.base.descriptors) + ". ";
    }
    if (result.end.holdings != result.base.holdings) {
        text += "The hub's counters did not come back: it holds " + described(result.end.holdings) + " instead of " +
                described(result.base.holdings) + ". ";
    }
    if (!text.empty()) text.pop_back();
    return text;
}

}  // namespace gazellemq::perf
