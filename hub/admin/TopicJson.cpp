#include "TopicJson.hpp"

#include "Session.hpp"
#include "SettingsJson.hpp"
#include "Subscription.hpp"

namespace gazellemq::hub {

void put(TopicCounters const& counters, nlohmann::ordered_json& json) {
    auto const& dropped = counters.dropped;
    json["messages_in"] = counters.messagesIn;
    json["bytes_in"] = counters.bytesIn;
    json["messages_out"] = counters.messagesOut;
    json["bytes_out"] = counters.bytesOut;
    json["messages_dropped"] = dropped.total();
    json["dropped"] = {{"window_full", dropped.windowFull}, {"memory_short", dropped.memoryShort}, {"purged", dropped.purged}, {"deleted", dropped.deleted}};
    json["messages_expired"] = counters.messagesExpired;
    json["messages_conflated"] = counters.messagesConflated;
    json["messages_unheard"] = counters.messagesUnheard;
}

nlohmann::ordered_json toJson(Topic const& topic) {
    nlohmann::ordered_json json{{"name", topic.name()},
                                {"created", topic.created},
                                {"paused", topic.paused},
                                {"settings", toJson(topic.settings())},
                                {"publishers", topic.publications().size()},
                                {"subscriptions", topic.readers().size()}};
    put(topic.counters, json);
    json["window_messages"] = topic.messages();
    json["window_bytes"] = topic.bytes();
    return json;
}

nlohmann::ordered_json partitionsOf(Topic const& topic) {
    auto partitions = nlohmann::ordered_json::array();
    for (auto const& partition : topic.partitions()) {
        auto const& log = partition->log();
        partitions.push_back({{"partition", partition->number()},
                              {"first_offset", log.beginOffset()},
                              {"next_offset", log.endOffset()},
                              {"window_messages", log.messages()},
                              {"window_bytes", log.bytes()}});
    }
    return partitions;
}

nlohmann::ordered_json readersOf(Topic const& topic, std::size_t most) {
    auto readers = nlohmann::ordered_json::array();
    for (auto const* reader : topic.readers()) {
        if (readers.size() == most) break;
        auto const& subscription = *reader->subscription;
        auto const& session = subscription.session();
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
        for (auto const& cursor : reader->cursors) {
            messages += cursor.partition->lagMessages(cursor);
            bytes += cursor.partition->lagBytes(cursor);
        }
        readers.push_back({{"connection", session.id()},
                           {"client", session.clientName()},
                           {"pattern", subscription.pattern()},
                           {"slow_consumer", nameOf(reader->policy)},
                           {"lag_messages", messages},
                           {"lag_bytes", bytes},
                           {"messages_dropped", reader->droppedInAll}});
        if (subscription.partition()) readers.back()["partition"] = *subscription.partition();
    }
    return readers;
}

}  // namespace gazellemq::hub
