#include "TopicJson.hpp"

#include "Session.hpp"
#include "SettingsJson.hpp"
#include "Subscription.hpp"

namespace gazellemq::hub {

nlohmann::ordered_json toJson(Topic const& topic) {
    auto const& counters = topic.counters;
    return {{"name", topic.name()},
            {"created", topic.created},
            {"paused", topic.paused},
            {"settings", toJson(topic.settings())},
            {"publishers", topic.publications().size()},
            {"subscriptions", topic.cursors().size()},
            {"messages_in", counters.messagesIn},
            {"bytes_in", counters.bytesIn},
            {"messages_out", counters.messagesOut},
            {"bytes_out", counters.bytesOut},
            {"messages_dropped", counters.messagesDropped},
            {"window_messages", topic.log().messages()},
            {"window_bytes", topic.log().bytes()},
            {"next_offset", topic.log().endOffset()}};
}

nlohmann::ordered_json readersOf(Topic const& topic, std::size_t most) {
    auto readers = nlohmann::ordered_json::array();
    for (auto const* cursor : topic.cursors()) {
        if (readers.size() == most) break;
        auto const& subscription = *cursor->subscription;
        auto const& session = subscription.session();
        readers.push_back({{"connection", session.id()},
                           {"client", session.clientName()},
                           {"pattern", subscription.pattern()},
                           {"slow_consumer", nameOf(cursor->policy)},
                           {"lag_messages", topic.log().messagesFrom(cursor->next)},
                           {"lag_bytes", topic.log().bytesFrom(cursor->next)},
                           {"messages_dropped", cursor->droppedInAll}});
    }
    return readers;
}

}  // namespace gazellemq::hub
