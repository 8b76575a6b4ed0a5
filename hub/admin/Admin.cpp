#include "Admin.hpp"

#include <utility>

#include "Arguments.hpp"
#include "BadArgument.hpp"
#include "Session.hpp"
#include "SettingsJson.hpp"
#include "TopicJson.hpp"
#include "TopicName.hpp"
#include "Version.hpp"

namespace gazellemq::hub {
namespace {

using Json = nlohmann::ordered_json;

/// Names of clients may be any bytes.
std::string toText(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Admin::Answer refusal(Error code, std::string const& name) {
    return {code, "topic '" + name + "': " + std::string{describe(code)}};
}

Admin::Answer with(Json result) { return {Error::ok, {}, std::move(result)}; }

struct NoSuchTopic {
    std::string name;
};

}  // namespace

Admin::Admin(Broker& broker, TopicStore* store)
    : broker_(broker),
      store_(store),
      operations_{{"topic.create", &Admin::createTopic}, {"topic.delete", &Admin::deleteTopic}, {"topic.list", &Admin::listTopics},
                  {"topic.info", &Admin::topicInfo},     {"topic.set", &Admin::setTopic},       {"topic.pause", &Admin::pauseTopic},
                  {"topic.resume", &Admin::resumeTopic}, {"topic.purge", &Admin::purgeTopic},   {"stats", &Admin::stats},         {"ping", &Admin::ping},
                  {"connections", &Admin::connections},  {"kick", &Admin::kick}} {}

void Admin::request(std::uint64_t session, std::uint32_t requestId, std::string_view operation, std::string_view arguments) {
    auto answer = run(operation, arguments);
    if (!store_ || answer.changed.empty()) return reply(session, requestId, answer);
    // Confirmed means kept.
    auto const name = answer.changed;
    keep(name, [this, session, requestId, answer = std::move(answer)](std::string const& problem) mutable {
        if (!problem.empty()) {
            answer.code = Error::storageError;
            answer.sentence = "the change of topic '" + answer.changed + "' holds only until the hub is restarted: it could not be kept: " + problem;
        }
        reply(session, requestId, answer);
    });
}

void Admin::keep(std::string const& name, TopicStore::Done done) {
    auto const* topic = broker_.findTopic(name);
    if (topic && topic->created) store_->put({name, toText(toJson(topic->settings())), topic->paused}, std::move(done));
    else store_->remove(name, std::move(done));
}

std::vector<std::string> Admin::restore(std::vector<TopicStore::Entry> const& entries) {
    std::vector<std::string> problems;
    for (auto const& entry : entries) {
        auto settings = TopicSettings::defaults(broker_.limits());
        try {
            settings = created(nlohmann::json::parse(entry.settings, nullptr, false), broker_.limits());
        } catch (BadArgument const& bad) {
            problems.push_back("topic '" + entry.name + "' has the hub's defaults, as its settings are not good any more: " + bad.sentence);
        }
        if (auto const error = broker_.createTopic(entry.name, settings); error != Error::ok) {
            problems.push_back("topic '" + entry.name + "' is missing: " + std::string{describe(error)});
            continue;
        }
        if (entry.paused) broker_.pauseTopic(*broker_.findTopic(entry.name), true);
    }
    return problems;
}

void Admin::reply(std::uint64_t session, std::uint32_t requestId, Answer const& answer) {
    auto const result = answer.code == Error::ok ? toText(answer.result) : std::string{};
    broker_.answer(session, {requestId, answer.code, answer.sentence, {result}});
}

Admin::Answer Admin::run(std::string_view operation, std::string_view arguments) {
    auto const found = operations_.find(operation);
    if (found == operations_.end()) {
        return {Error::noSuchOperation, "'" + std::string{operation} + "': " + std::string{describe(Error::noSuchOperation)}};
    }
    try {
        return (this->*found->second)(arguments);
    } catch (BadArgument const& bad) {
        return {Error::badArgument, bad.sentence};
    } catch (NoSuchTopic const& missing) {
        return refusal(Error::noSuchTopic, missing.name);
    }
}

Topic& Admin::topicNamed(std::string const& name) const {
    auto* topic = broker_.findTopic(name);
    if (!topic) throw NoSuchTopic{name};
    return *topic;
}

Admin::Answer Admin::createTopic(std::string_view arguments) {
    Arguments const given{arguments, {"name", "settings"}};
    auto const name = given.text("name");
    auto const settings = created(given.has("settings") ? given.at("settings") : nlohmann::json::object(), broker_.limits());
    if (auto const error = broker_.createTopic(name, settings); error != Error::ok) return refusal(error, name);
    return changedTopic(topicNamed(name));
}

Admin::Answer Admin::changedTopic(Topic const& topic) const {
    auto answer = with(toJson(topic));
    if (topic.created) answer.changed = topic.name();
    return answer;
}

Admin::Answer Admin::deleteTopic(std::string_view arguments) {
    auto const name = Arguments{arguments, {"name"}}.text("name");
    if (auto const error = broker_.deleteTopic(name); error != Error::ok) return refusal(error, name);
    auto answer = with({{"name", name}});
    answer.changed = name;
    return answer;
}

Admin::Answer Admin::listTopics(std::string_view arguments) {
    Arguments const given{arguments, {"pattern", "after", "limit"}};
    auto const pattern = given.optionalText("pattern").value_or(">");
    if (auto const error = protocol::checkPattern(pattern); error != Error::ok) {
        throw BadArgument{"'pattern' is '" + pattern + "': " + std::string{describe(error)}};
    }
    auto const limit = given.numberOr("limit", kPage, 1, kMaxPage);
    auto const& topics = broker_.topics().byName();
    auto const after = given.optionalText("after");
    Json page{{"topics", Json::array()}};
    for (auto at = after ? topics.upper_bound(*after) : topics.begin(); at != topics.end(); ++at) {
        if (!protocol::matches(pattern, at->first)) continue;
        if (page["topics"].size() == limit) {
            page["next"] = page["topics"].back()["name"];
            break;
        }
        page["topics"].push_back(toJson(*at->second));
    }
    return with(std::move(page));
}

Admin::Answer Admin::topicInfo(std::string_view arguments) {
    auto const& topic = topicNamed(Arguments{arguments, {"name"}}.text("name"));
    auto info = toJson(topic);
    info["partitions"] = partitionsOf(topic);
    info["readers"] = readersOf(topic, kMaxPage);
    return with(std::move(info));
}

Admin::Answer Admin::setTopic(std::string_view arguments) {
    Arguments const given{arguments, {"name", "settings"}};
    auto& topic = topicNamed(given.text("name"));
    if (!given.has("settings")) throw BadArgument{"'settings' is missing: say what to change"};
    broker_.changeTopic(topic, changed(topic.settings(), given.at("settings"), broker_.limits()));
    return changedTopic(topic);
}

Admin::Answer Admin::pause(std::string_view arguments, bool paused) {
    auto& topic = topicNamed(Arguments{arguments, {"name"}}.text("name"));
    broker_.pauseTopic(topic, paused);
    return changedTopic(topic);
}

Admin::Answer Admin::purgeTopic(std::string_view arguments) {
    auto& topic = topicNamed(Arguments{arguments, {"name"}}.text("name"));
    auto const waiting = topic.messages();
    auto const dropped = broker_.purgeTopic(topic);
    return with({{"name", topic.name()}, {"purged", waiting}, {"dropped", dropped}});
}

Admin::Answer Admin::ping(std::string_view arguments) {
    Arguments const none{arguments, {}};
    return with({{"server", "gazelle-hub " GAZELLEMQ_VERSION}});
}

Admin::Answer Admin::stats(std::string_view arguments) {
    Arguments const none{arguments, {}};
    auto const& counters = broker_.counters();
    Json stats{{"connections", broker_.sessionCount()}, {"subscriptions", broker_.subscriptionCount()}, {"topics", broker_.topicCount()}};
    put(counters, stats);
    stats["buffer_bytes"] = broker_.pool().bytesInUse();
    stats["connections_opened"] = counters.sessionsOpened;
    stats["disconnected_stalled"] = counters.sessionsStalled;
    stats["disconnected_silent"] = counters.sessionsSilent;
    stats["protocol_violations"] = counters.violations;
    return with(std::move(stats));
}

Admin::Answer Admin::connections(std::string_view arguments) {
    Arguments const given{arguments, {"after", "limit"}};
    auto const limit = given.numberOr("limit", kPage, 1, kMaxPage);
    auto const after = given.numberOr("after", 0, 0, UINT64_MAX);
    auto const& sessions = broker_.sessionsById();
    Json page{{"connections", Json::array()}};
    for (auto at = sessions.upper_bound(after); at != sessions.end(); ++at) {
        if (page["connections"].size() == limit) {
            page["next"] = page["connections"].back()["connection"];
            break;
        }
        auto const& session = *at->second;
        page["connections"].push_back({{"connection", session.id()},
                                       {"client", session.clientName()},
                                       {"peer", session.peer()},
                                       {"subscriptions", session.subscriptionCount()},
                                       {"open_topics", session.publicationCount()},
                                       {"connected_ms", broker_.now().steadyMs - session.openedMs()}});
    }
    return with(std::move(page));
}

Admin::Answer Admin::kick(std::string_view arguments) {
    auto const id = Arguments{arguments, {"connection"}}.number("connection", 1, UINT64_MAX);
    auto* session = broker_.findSession(id);
    if (!session) return {Error::noSuchConnection, "connection " + std::to_string(id) + ": " + std::string{describe(Error::noSuchConnection)}};
    Json result{{"connection", id}, {"client", session->clientName()}};
    session->fail(Error::kicked, describe(Error::kicked));
    return with(std::move(result));
}

}  // namespace gazellemq::hub
