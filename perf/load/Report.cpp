#include "Report.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "Comparison.hpp"
#include "Print.hpp"
#include "VerdictJson.hpp"

namespace gazellemq::perf {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMegabyte = 1e6;

/// The numbers of one run, or the medians of all.
struct Figures {
    double ms = 0;
    double rate = 0;
    double delivered = 0;
    double megabytes = 0;
    double publisherCpu = 0;
    double subscriberCpu = 0;
    std::optional<double> middleCpu;
    std::optional<double> cpuNsPerMessage;
    std::optional<double> peakBytes;

    explicit Figures(Series const& series) {
        ms = series.medianOf([](auto const& run) { return run.seconds * 1e3; });
        rate = series.medianOf([&](auto const& run) { return series.rate(run); });
        delivered = rate * static_cast<double>(series.workload.subscribers);
        megabytes = rate * static_cast<double>(series.workload.size) / kMegabyte;
        publisherCpu = series.medianOf([](auto const& run) { return run.publisherCpu; });
        subscriberCpu = series.medianOf([](auto const& run) { return run.subscriberCpu; });
        if (series.runs.empty() || !series.runs.front().middleCpu) return;
        middleCpu = series.medianOf([](auto const& run) { return run.middleCpu.value_or(0); });
        cpuNsPerMessage = series.medianOf([&](auto const& run) { return series.cpuNsPerMessage(run); });
        peakBytes = 0;
        for (auto const& run : series.runs) peakBytes = std::max(*peakBytes, run.middlePeakBytes.value_or(0));
    }
};

/// "hub", or "hub beside 3 stalled subscribers".
std::string nameOf(Series const& series) {
    auto const stalled = series.workload.stalled;
    return series.middle + (stalled > 0 ? " beside " + counted(stalled, "stalled subscriber") : "");
}

void addStalled(Json& json, StalledTally const& tally) {
    json["stalled_received"] = tally.received;
    json["stalled_dropped"] = tally.dropped;
    json["stalled_unaccounted"] = tally.unaccounted;
    json["stalled_cut"] = tally.cut;
}

Figures figuresOf(Series const& series, RunResult const& run) {
    return Figures{Series{.middle = series.middle, .workload = series.workload, .runs = {run}}};
}

Json optional(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

void addFigures(Json& json, std::string const& middle, Figures const& figures, Verdict const& verdict) {
    json["elapsed_ms"] = figures.ms;
    json["messages_per_second"] = figures.rate;
    json["delivered_per_second"] = figures.delivered;
    json["megabytes_per_second"] = figures.megabytes;
    json["cpu_seconds"] = {{"publisher", figures.publisherCpu},
                           {middle, optional(figures.middleCpu)},
                           {"subscriber", figures.subscriberCpu}};
    json[middle + "_cpu_ns_per_message"] = optional(figures.cpuNsPerMessage);
    json[middle + "_peak_rss_bytes"] =
        figures.peakBytes ? Json(static_cast<std::uint64_t>(*figures.peakBytes)) : Json(nullptr);
    addFaults(json, verdict);
}

std::string row(std::string const& title, Figures const& figures) {
    auto text = print("%-8s %9.1f %12.0f %9.1f %11.3f %11.3f", title.c_str(), figures.ms, figures.rate,
                      figures.megabytes, figures.publisherCpu, figures.subscriberCpu);
    if (!figures.middleCpu) return text + "\n";
    return text + print(" %11.3f %11.1f %8.1f\n", *figures.middleCpu, *figures.cpuNsPerMessage,
                        *figures.peakBytes / kMegabyte);
}

std::string tableHead(std::string const& middle, bool measured) {
    auto head =
        print("%-8s %9s %12s %9s %11s %11s", "", "ms", "messages/s", "MB/s", "publ. CPU s", "subs. CPU s");
    if (measured) head += print(" %11s %11s %8s", (middle + " CPU s").c_str(), "CPU ns/msg", "peak MB");
    return head + "\n";
}

std::string complaintOfStalled(Series const& series) {
    auto const tally = series.stalled();
    if (tally.unaccounted > 0)
        return "The stalled subscribers cannot account for " + counted(tally.unaccounted, "message") + ". ";
    if (tally.cut > 0 && !series.workload.stalledAreCut)
        return "The hub has ended the links of " + counted(tally.cut, "stalled subscriber") + ". ";
    return {};
}

}  // namespace

Json toJson(Series const& series) {
    auto const& workload = series.workload;
    Json json{{"messages", workload.messages},     {"size", workload.size},
              {"publishers", workload.publishers}, {"subscribers", workload.subscribers},
              {"topics", workload.topics},         {"runs", series.runs.size()}};
    addFigures(json, series.middle, Figures{series}, series.verdict());
    if (workload.stalled > 0) {
        json["stalled"] = workload.stalled;
        json["stalled_policy"] = workload.stalledAreCut ? "disconnect" : "dropOldest";
        addStalled(json, series.stalled());
    }
    json["per_run"] = Json::array();
    for (auto const& run : series.runs) {
        auto& entry = json["per_run"].emplace_back();
        addFigures(entry, series.middle, figuresOf(series, run), run.verdict);
        if (run.stalled) addStalled(entry, *run.stalled);
    }
    return json;
}

void addWithoutStalled(Json& report, Series const& hub, Series const& without) {
    report["vs_without_ratio"] = Comparison{hub, without}.rate;
    report["without_messages_per_second"] = Figures{without}.rate;
    report["without"] = toJson(without);
}

void addComparison(Json& report, Series const& hub, Series const& relay) {
    Figures const figures{relay};
    Comparison const comparison{hub, relay};
    report["vs_relay_ratio"] = comparison.rate;
    report["relay_messages_per_second"] = figures.rate;
    report["relay_delivered_per_second"] = figures.delivered;
    report["relay_cpu_ns_per_message"] = optional(figures.cpuNsPerMessage);
    report["hub_vs_relay_cpu_ratio"] = comparison.cpu > 0 ? Json(comparison.cpu) : Json(nullptr);
    report["relay"] = toJson(relay);
}

std::string toText(Series const& series) {
    auto const& workload = series.workload;
    Figures const median{series};
    auto text = "Through the " + nameOf(series) + ": " + counted(workload.messages, "message") + " of " +
                counted(workload.size, "byte") + ", " + counted(workload.publishers, "publisher") + ", " +
                counted(workload.subscribers, "subscriber") + ", " + counted(workload.topics, "topic") +
                "\n" + tableHead(series.middle, median.middleCpu.has_value());
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
        text += row("run " + std::to_string(i + 1), figuresOf(series, series.runs[i]));
    }
    text += row("median", median);
    if (workload.subscribers > 1)
        text += print("Delivered to all subscribers together: %.0f messages/s\n", median.delivered);
    if (workload.stalled > 0) {
        auto const tally = series.stalled();
        text += "The stalled ones, over all runs: " + counted(tally.received, "message") + " received when they went on, " +
                std::to_string(tally.dropped) + " told as dropped, " + counted(tally.cut, "link") + " ended by the hub\n";
    }
    return text;
}

std::string withoutStalledText(Series const& hub, Series const& without) {
    return print("Beside stalled subscribers the hub reaches %.2f of its rate without (medians of %zu pairs).\n",
                 Comparison{hub, without}.rate, hub.runs.size());
}

std::string comparisonText(Series const& hub, Series const& relay) {
    Comparison const comparison{hub, relay};
    auto text = print("The hub reaches %.2f of the relay's rate", comparison.rate);
    if (comparison.cpu > 0) text += print(" with %.2f times its CPU per message", comparison.cpu);
    return text + print(" (medians of %zu pairs).\n", hub.runs.size());
}

std::string toLine(Series const& series, RunResult const& run) {
    return print("%s: %.1f ms, %.0f messages/s", nameOf(series).c_str(), run.seconds * 1e3, series.rate(run));
}

std::string complaint(Series const& series) {
    auto const verdict = series.verdict();
    if (verdict.clean()) return complaintOfStalled(series);
    return print("The %s did not deliver every message once, in order and intact: ", series.middle.c_str()) +
           std::to_string(verdict.lost) + " lost, " + std::to_string(verdict.duplicated) + " duplicated, " +
           std::to_string(verdict.outOfOrder) + " out of order, " + std::to_string(verdict.corrupt) +
           " corrupt.";
}

}  // namespace gazellemq::perf
