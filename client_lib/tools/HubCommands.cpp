#include <chrono>
#include <iostream>
#include <memory>

#include "Ask.hpp"
#include "Command.hpp"
#include "Table.hpp"

namespace gazellemq::tools {
namespace {

void printObject(Json const& object) {
    Table table{{"hub", ""}};
    for (auto const& [name, value] : object.items()) table.add({name, value.dump()});
    std::cout << table.toText();
}

void printConnections(Json const& connections) {
    Table table{{"client", "connection", "peer", "subscriptions", "open topics", "since"}};
    for (auto const& connection : connections) {
        table.add({printable(connection.at("client").get<std::string>()), connection.at("connection").dump(), printable(connection.at("peer").get<std::string>()),
                   connection.at("subscriptions").dump(), connection.at("open_topics").dump(),
                   std::to_string(connection.at("connected_ms").get<std::int64_t>() / 1000) + " s"});
    }
    std::cout << table.toText();
}

int ping(Global const& global, std::uint64_t count) {
    Hub hub{global};
    for (std::uint64_t i = 0; i < count; ++i) {
        auto const start = std::chrono::steady_clock::now();
        auto const answer = hub.ask("ping");
        auto const us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
        if (global.json) {
            std::cout << Json{{"server", answer.at("server")}, {"round_trip_us", us}}.dump() << std::endl;
        } else {
            std::cout << answer.at("server").get<std::string>() << " at " << global.hub << ": " << static_cast<std::int64_t>(us) << " us" << std::endl;
        }
    }
    return 0;
}

}  // namespace

void addHubCommands(CLI::App& program, Global const& global, Commands& commands) {
    auto* stats = program.add_subcommand("stats", "Counters of the hub, or of a topic");
    auto const topic = std::make_shared<std::string>();
    stats->add_option("TOPIC", *topic, "The topic; without it the hub");
    commands.push_back({stats, [&global, topic] {
                            Hub hub{global};
                            auto const answer = topic->empty() ? hub.ask("stats") : hub.ask("topic.info", {{"name", *topic}});
                            if (global.json || !topic->empty()) std::cout << answer.dump(2) << "\n";
                            else printObject(answer);
                            return 0;
                        }});

    auto* connections = program.add_subcommand("connections", "Who is connected");
    commands.push_back({connections, [&global] {
                            auto const all = Hub{global}.askAll("connections", Json::object(), "connections");
                            if (global.json) std::cout << all.dump(2) << "\n";
                            else printConnections(all);
                            return 0;
                        }});

    auto* kick = program.add_subcommand("kick", "End a connection; its client may come back");
    auto const id = std::make_shared<std::uint64_t>(0);
    kick->add_option("CONNECTION", *id, "Its number: see 'gazelle connections'")->required();
    commands.push_back({kick, [&global, id] {
                            auto const done = Hub{global}.ask("kick", {{"connection", *id}});
                            if (global.json) std::cout << done.dump(2) << "\n";
                            else std::cout << "kicked " << printable(done.at("client").get<std::string>()) << "\n";
                            return 0;
                        }});

    auto* pinging = program.add_subcommand("ping", "Does the hub answer, and how fast?");
    auto const count = std::make_shared<std::uint64_t>(1);
    pinging->add_option("--count", *count, "How often")->capture_default_str()->type_name("N");
    commands.push_back({pinging, [&global, count] { return ping(global, *count); }});
}

}  // namespace gazellemq::tools
