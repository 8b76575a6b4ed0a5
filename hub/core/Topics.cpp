#include "Topics.hpp"

#include <algorithm>

#include "ControlFrames.hpp"
#include "Session.hpp"
#include "TopicName.hpp"

namespace gazellemq::hub {

Topic* Topics::find(std::string_view name) const {
    auto const at = byName_.find(name);
    return at == byName_.end() ? nullptr : at->second.get();
}

Topic& Topics::make(std::string_view name, TopicSettings const& settings, std::int64_t nowMs) {
    auto made = std::make_unique<Topic>(nextId_++, std::string{name}, settings);
    auto& topic = *made;
    topic.lastUsedMs = nowMs;
    byName_.emplace(topic.name(), std::move(made));
    tree_.match(topic.name(), [&](Subscription& subscription) { attach(subscription, topic, nowMs); });
    if (auto const waiting = waiting_.extract(topic.name())) {
        for (auto* subscription : waiting.mapped()) attach(*subscription, topic, nowMs);
    }
    return topic;
}

void Topics::erase(Topic& topic, Error code) {
    for (auto* reader : std::vector<Reader*>(topic.readers())) {
        auto& subscription = *reader->subscription;
        subscription.session().tellGone(*reader, code);
        topic.detach(*reader);
        std::erase_if(subscription.ready(), [&](Cursor const* cursor) { return cursor->reader == reader; });
        subscription.readers().erase(&topic);
        if (!protocol::hasWildcard(subscription.pattern())) waiting_[topic.name()].push_back(&subscription);
    }
    if (topic.inIdleQueue) std::erase_if(unused_, [&](auto const& entry) { return entry.second == &topic; });
    byName_.erase(topic.name());
}

void Topics::add(Subscription& subscription, std::int64_t nowMs) {
    if (protocol::hasWildcard(subscription.pattern())) {
        tree_.add(subscription.pattern(), subscription);
        auto const& pattern = subscription.pattern();
        auto const prefix = std::string_view{pattern}.substr(0, pattern.find_first_of("*>"));
        for (auto at = byName_.lower_bound(prefix); at != byName_.end() && at->first.starts_with(prefix); ++at) {
            if (protocol::matches(pattern, at->first)) attach(subscription, *at->second, nowMs);
        }
    } else if (auto* topic = find(subscription.pattern())) {
        attach(subscription, *topic, nowMs);
    } else {
        waiting_[subscription.pattern()].push_back(&subscription);
    }
}

std::vector<Topic*> Topics::remove(Subscription& subscription) {
    if (protocol::hasWildcard(subscription.pattern())) {
        tree_.remove(subscription.pattern(), subscription);
    } else if (auto const waiting = waiting_.find(subscription.pattern()); waiting != waiting_.end()) {
        std::erase(waiting->second, &subscription);
        if (waiting->second.empty()) waiting_.erase(waiting);
    }
    std::vector<Topic*> read;
    for (auto const& [topic, reader] : subscription.readers()) {
        topic->detach(*reader);
        read.push_back(topic);
    }
    subscription.readers().clear();
    subscription.ready().clear();
    return read;
}

void Topics::attach(Subscription& subscription, Topic& topic, std::int64_t nowMs) {
    auto& reader = subscription.readers()[&topic];
    reader = std::make_unique<Reader>(Reader{&topic, &subscription});
    topic.attach(*reader, pool_);
    topic.lastUsedMs = nowMs;
}

void Topics::noteUnused(Topic& topic, std::int64_t nowMs, std::int64_t ttlMs) {
    if (topic.created || !topic.unused() || topic.inIdleQueue) return;
    topic.inIdleQueue = true;
    unused_.emplace_back(nowMs + ttlMs, &topic);
}

std::vector<Topic*> Topics::takeIdle(std::int64_t nowMs, std::int64_t ttlMs) {
    std::vector<Topic*> idle;
    // Each at most once: with a TTL of 0 one that has to stay is due again at once.
    for (auto left = unused_.size(); left > 0 && unused_.front().first <= nowMs; --left) {
        auto* topic = unused_.front().second;
        unused_.pop_front();
        topic->inIdleQueue = false;
        if (topic->created || !topic->unused()) continue;
        if (topic->lastUsedMs + ttlMs > nowMs || !topic->allWait()) {
            noteUnused(*topic, nowMs, ttlMs);
        } else {
            idle.push_back(topic);
        }
    }
    return idle;
}

}  // namespace gazellemq::hub
