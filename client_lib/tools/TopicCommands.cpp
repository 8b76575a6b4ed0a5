#include <iostream>
#include <memory>
#include <optional>

#include "Ask.hpp"
#include "Command.hpp"
#include "Table.hpp"

namespace gazellemq::tools {
namespace {

/// Flags of create and set; what is not given is not sent.
struct Settings {
    std::optional<std::uint64_t> windowBytes;
    std::optional<std::string> slowConsumer;
    std::optional<std::string> slowWildcard;
    std::optional<std::vector<std::string>> allowed;
    std::optional<std::uint32_t> maxSubscriptions;
    std::optional<std::uint32_t> maxPublishers;

    Json toJson() const {
        auto json = Json::object();
        auto const put = [&](char const* name, auto const& value) {
            if (value) json[name] = *value;
        };
        put("window_bytes", windowBytes);
        put("slow_consumer", slowConsumer);
        put("slow_wildcard", slowWildcard);
        put("allowed_policies", allowed);
        put("max_subscriptions", maxSubscriptions);
        put("max_publishers", maxPublishers);
        return json;
    }
};

void addSettings(CLI::App& app, Settings& settings) {
    app.add_option("--window-bytes", settings.windowBytes, "Messages kept for readers that are behind, such as 8MB")
        ->transform(CLI::AsSizeValue(false).description(""))
        ->type_name("SIZE");
    app.add_option("--slow-consumer", settings.slowConsumer,
                   "When a subscription by name falls behind by the window: block the publishers, dropOldest, or disconnect it")
        ->type_name("POLICY");
    app.add_option("--slow-wildcard", settings.slowWildcard, "The same of a subscription by wildcard: dropOldest or disconnect")->type_name("POLICY");
    app.add_option("--allow", settings.allowed, "Policy that subscriptions may choose instead; may be given several times")->type_name("POLICY");
    app.add_option("--max-subscriptions", settings.maxSubscriptions, "0: no limit")->type_name("COUNT");
    app.add_option("--max-publishers", settings.maxPublishers, "0: no limit")->type_name("COUNT");
}

std::string number(Json const& object, char const* name) { return std::to_string(object.at(name).get<std::uint64_t>()); }

std::string namesText(Json const& names) {
    std::string text;
    for (auto const& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
    return text.empty() ? "none" : text;
}

std::string orNoLimit(Json const& object, char const* name) {
    return object.at(name) == 0 ? "no limit" : number(object, name);
}

void printTopic(Json const& topic) {
    auto const& settings = topic.at("settings");
    Table table{{"topic", printable(topic.at("name").get<std::string>())}};
    table.add({"created", topic.at("created") ? "yes: stays until it is deleted" : "by its use: goes when it is unused"});
    if (topic.at("paused")) table.add({"paused", "yes: nothing is delivered until 'gazelle topic resume'"});
    table.add({"window", sizeText(settings.at("window_bytes"))});
    table.add({"slow consumer", settings.at("slow_consumer").get<std::string>() + ", by wildcard " + settings.at("slow_wildcard").get<std::string>()});
    table.add({"may choose", namesText(settings.at("allowed_policies"))});
    table.add({"max subscriptions", orNoLimit(settings, "max_subscriptions")});
    table.add({"max publishers", orNoLimit(settings, "max_publishers")});
    table.add({"publishers", number(topic, "publishers")});
    table.add({"subscriptions", number(topic, "subscriptions")});
    table.add({"messages in", number(topic, "messages_in") + " (" + sizeText(topic.at("bytes_in")) + ")"});
    table.add({"messages out", number(topic, "messages_out") + " (" + sizeText(topic.at("bytes_out")) + ")"});
    table.add({"messages dropped", number(topic, "messages_dropped")});
    table.add({"in the window", number(topic, "window_messages") + " (" + sizeText(topic.at("window_bytes")) + ")"});
    std::cout << table.toText();
}

void printReaders(Json const& readers) {
    if (readers.empty()) return;
    Table table{{"subscription", "connection", "client", "policy", "lag", "bytes", "dropped"}};
    for (auto const& reader : readers) {
        table.add({printable(reader.at("pattern").get<std::string>()), number(reader, "connection"), printable(reader.at("client").get<std::string>()),
                   reader.at("slow_consumer"), number(reader, "lag_messages"), sizeText(reader.at("lag_bytes")),
                   number(reader, "messages_dropped")});
    }
    std::cout << "\n" << table.toText();
}

void printList(Json const& topics) {
    Table table{{"topic", "messages in", "out", "dropped", "in window", "publishers", "subscriptions"}};
    for (auto const& topic : topics) {
        table.add({printable(topic.at("name").get<std::string>()) + (topic.at("paused") ? " (paused)" : ""), number(topic, "messages_in"), number(topic, "messages_out"),
                   number(topic, "messages_dropped"), number(topic, "window_messages"), number(topic, "publishers"),
                   number(topic, "subscriptions")});
    }
    std::cout << (table.empty() ? "There is no such topic. 'gazelle topic create NAME' makes one.\n" : table.toText());
}

class TopicCommands {
  public:
    TopicCommands(CLI::App& group, Global const& global, Commands& commands) : group_(group), global_(global), commands_(commands) {}

    void add() {
        addCreate();
        addSet();
        addList();
        addInfo();
        addNamed("delete", "Delete topics; publishers and subscribers are told, waiting messages are dropped", "topic.delete",
                 [](Json const& done) { return "deleted " + done.at("name").get<std::string>(); });
        addNamed("pause", "Deliver nothing; what is published waits in the window", "topic.pause",
                 [](Json const& topic) { return "paused " + topic.at("name").get<std::string>(); });
        addNamed("resume", "Deliver again", "topic.resume", [](Json const& topic) { return "resumed " + topic.at("name").get<std::string>(); });
        addNamed("purge", "Drop the messages that wait", "topic.purge", [](Json const& done) {
            return "purged " + done.at("name").get<std::string>() + ": " + number(done, "purged") + " messages";
        });
    }

  private:
    struct Named {
        std::string name;
        Settings settings;
    };

    void command(CLI::App* app, std::function<void(Hub&)> work) {
        commands_.push_back({app, [&global = global_, work = std::move(work)] {
                                 Hub hub{global};
                                 work(hub);
                                 return 0;
                             }});
    }
    void print(Json const& json, std::function<void(Json const&)> const& asText) const {
        if (global_.json) std::cout << json.dump(2) << "\n";
        else asText(json);
    }

    void addCreate() {
        auto const named = std::make_shared<Named>();
        auto* app = group_.add_subcommand("create", "Create a topic that stays until it is deleted");
        app->add_option("NAME", named->name, "Such as orders.created")->required();
        addSettings(*app, named->settings);
        command(app, [this, named](Hub& hub) {
            print(hub.ask("topic.create", {{"name", named->name}, {"settings", named->settings.toJson()}}), printTopic);
        });
    }
    void addSet() {
        auto const named = std::make_shared<Named>();
        auto* app = group_.add_subcommand("set", "Change settings of a topic, while it is used");
        app->add_option("NAME", named->name, "The topic")->required();
        addSettings(*app, named->settings);
        command(app, [this, named](Hub& hub) {
            print(hub.ask("topic.set", {{"name", named->name}, {"settings", named->settings.toJson()}}), printTopic);
        });
    }
    void addList() {
        auto const pattern = std::make_shared<std::string>(">");
        auto* app = group_.add_subcommand("list", "List topics");
        app->add_option("PATTERN", *pattern, "Such as 'orders.*'")->capture_default_str();
        command(app, [this, pattern](Hub& hub) { print(hub.askAll("topic.list", {{"pattern", *pattern}}, "topics"), printList); });
    }
    void addInfo() {
        auto const name = std::make_shared<std::string>();
        auto* app = group_.add_subcommand("info", "Settings, counters and readers of a topic");
        app->add_option("NAME", *name, "The topic")->required();
        command(app, [this, name](Hub& hub) {
            print(hub.ask("topic.info", {{"name", *name}}), [](Json const& topic) {
                printTopic(topic);
                printReaders(topic.at("readers"));
            });
        });
    }
    void addNamed(std::string const& verb, std::string const& about, std::string const& operation, std::function<std::string(Json const&)> sentence) {
        auto const names = std::make_shared<std::vector<std::string>>();
        auto* app = group_.add_subcommand(verb, about);
        app->add_option("NAME", *names, "The topic; several may be given")->required();
        command(app, [this, names, operation, sentence](Hub& hub) {
            for (auto const& name : *names) {
                print(hub.ask(operation, {{"name", name}}), [&](Json const& done) { std::cout << printable(sentence(done)) << "\n"; });
            }
        });
    }

    CLI::App& group_;
    Global const& global_;
    Commands& commands_;
};

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle topic create orders --window-bytes 64MB --slow-consumer dropOldest\n"
    "  gazelle topic list 'orders.*'\n"
    "  gazelle topic set orders --max-publishers 1\n"
    "  gazelle topic info orders --json";

}  // namespace

void addTopicCommands(CLI::App& program, Global const& global, Commands& commands) {
    auto* group = program.add_subcommand("topic", "Create, delete, list, change, pause and purge topics");
    group->require_subcommand(1);
    group->footer(kExamples);
    auto const topics = std::make_shared<TopicCommands>(*group, global, commands);
    topics->add();
    group->callback([topics] {});  // lives as long as the command line
}

}  // namespace gazellemq::tools
