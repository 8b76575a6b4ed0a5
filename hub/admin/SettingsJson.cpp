#include "SettingsJson.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "Arguments.hpp"
#include "BadArgument.hpp"

namespace gazellemq::hub {
namespace {

constexpr std::array kPolicies{SlowPolicy::block, SlowPolicy::dropOldest, SlowPolicy::disconnect, SlowPolicy::conflate};
constexpr std::uint64_t kLeastWindow = 64 * 1024;  // of a partition

SlowPolicy policyOf(std::string const& setting, std::string const& name) {
    std::string names;
    for (auto const policy : kPolicies) {
        if (name == nameOf(policy)) return policy;
        names += (names.empty() ? "" : ", ") + std::string{nameOf(policy)};
    }
    throw BadArgument{"'" + setting + "' is '" + name + "': the policies are " + names};
}

PolicyChoice choiceOf(nlohmann::json const& names) {
    PolicyChoice choice;
    if (!names.is_array()) throw BadArgument{"'allowed_policies' is not a list such as [\"disconnect\"]"};
    for (auto const& name : names) {
        if (!name.is_string()) throw BadArgument{"'allowed_policies' has something else than the name of a policy"};
        choice.allow(policyOf("allowed_policies", name.get<std::string>()));
    }
    return choice;
}

}  // namespace

nlohmann::ordered_json toJson(TopicSettings const& settings) {
    auto allowed = nlohmann::ordered_json::array();
    for (auto const policy : kPolicies) {
        if (settings.choice.allows(policy)) allowed.push_back(nameOf(policy));
    }
    return {{"kind", "transient"},
            {"partitions", settings.partitions},
            {"window_bytes", settings.windowBytes},
            {"retain_bytes", settings.retainBytes},
            {"slow_consumer", nameOf(settings.slowConsumer)},
            {"slow_wildcard", nameOf(settings.slowWildcard)},
            {"allowed_policies", std::move(allowed)},
            {"max_subscriptions", settings.maxSubscriptions},
            {"max_publishers", settings.maxPublishers}};
}

TopicSettings created(nlohmann::json const& changes, Limits const& limits) {
    auto settings = TopicSettings::defaults(limits);
    if (changes.is_object() && changes.contains("partitions")) {
        Arguments const given{{{"partitions", changes.at("partitions")}}, "the settings", {"partitions"}};
        settings.partitions = static_cast<std::uint16_t>(given.number("partitions", 1, limits.maxPartitions));
    }
    return changed(settings, changes, limits);
}

TopicSettings changed(TopicSettings settings, nlohmann::json const& changes, Limits const& limits) {
    constexpr auto kMany = std::numeric_limits<std::uint32_t>::max();
    Arguments const given{changes, "the settings",
                          {"kind", "partitions", "window_bytes", "retain_bytes", "slow_consumer", "slow_wildcard", "allowed_policies", "max_subscriptions",
                           "max_publishers"}};
    if (auto const kind = given.optionalText("kind"); kind && *kind != "transient") {
        throw BadArgument{"'kind' is '" + *kind + "': this hub has transient topics only"};
    }
    if (given.numberOr("partitions", settings.partitions, 1, limits.maxPartitions) != settings.partitions) {
        throw BadArgument{"'partitions' is fixed when a topic is created: it has " + std::to_string(settings.partitions) + "; delete it and create it anew"};
    }
    settings.windowBytes = given.numberOr("window_bytes", settings.windowBytes, kLeastWindow * settings.partitions, limits.maxMemory);
    settings.retainBytes = given.numberOr("retain_bytes", std::min(settings.retainBytes, settings.windowBytes), 0, settings.windowBytes);
    if (auto const name = given.optionalText("slow_consumer")) settings.slowConsumer = policyOf("slow_consumer", *name);
    if (auto const name = given.optionalText("slow_wildcard")) settings.slowWildcard = policyOf("slow_wildcard", *name);
    if (settings.slowWildcard == SlowPolicy::block) {
        throw BadArgument{"'slow_wildcard' is 'block': subscriptions by wildcard may only choose that, with \"allowed_policies\": [\"block\"]"};
    }
    if (given.has("allowed_policies")) settings.choice = choiceOf(given.at("allowed_policies"));
    settings.maxSubscriptions = static_cast<std::uint32_t>(given.numberOr("max_subscriptions", settings.maxSubscriptions, 0, kMany));
    settings.maxPublishers = static_cast<std::uint32_t>(given.numberOr("max_publishers", settings.maxPublishers, 0, kMany));
    return settings;
}

}  // namespace gazellemq::hub
