#include "InTopics.hpp"

#include <algorithm>

#include "ProducerIds.hpp"

namespace gazellemq::client {
namespace {

/// A slow program's progress is told at least so often: the hub gives up who takes nothing for its stallLimit (10 s).
constexpr std::chrono::milliseconds kTellWithin{500};

}  // namespace

InTopics::Ptr InTopics::add(std::string_view pattern, InTopic::Callback callback, SubscribeOptions const& options) {
    auto topic = std::make_shared<InTopic>();
    topic->id = nextId_++;
    topic->pattern = pattern;
    topic->callback = std::move(callback);
    topic->options = options;
    byId_.emplace(topic->id, topic);
    return topic;
}

InTopics::Ptr InTopics::find(std::uint32_t id) const {
    auto const at = byId_.find(id);
    return at == byId_.end() ? nullptr : at->second;
}

std::vector<InTopics::Ptr> InTopics::findAll(std::string_view pattern) const {
    std::vector<Ptr> found;
    for (auto const& [id, topic] : byId_) {
        if (topic->pattern == pattern) found.push_back(topic);
    }
    return found;
}

std::vector<InTopics::Ptr> InTopics::all() const {
    std::vector<Ptr> found;
    for (auto const& [id, topic] : byId_) found.push_back(topic);
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a->id < b->id; });
    return found;
}

void InTopics::remove(InTopic& topic, bool up, Frames& control) {
    topic.active = false;
    if (up) encode(protocol::Unsubscribe{topic.id, topic.id}, control);
    byId_.erase(topic.id);
}

void InTopics::linkUp(Frames& control) {
    for (auto const& topic : all()) subscribe(*topic, control);
}

void InTopics::subscribe(InTopic& topic, Frames& control) const {
    topic.granted = window_ - std::min(window_, topic.queued);
    auto const& options = topic.options;
    protocol::Subscribe frame{topic.id, topic.id, topic.granted, topic.pattern};
    frame.policy = static_cast<std::uint8_t>(options.slowConsumer);
    frame.start = static_cast<protocol::StartKind>(options.start.kind);
    frame.startValue = options.start.value;
    if (options.partition) frame.partition = static_cast<std::uint16_t>(*options.partition + 1);
    if (options.noEcho) frame.notFrom = ProducerIds::ofProcess();
    encode(frame, control);
}

void InTopics::linkDown() {
    for (auto const& [id, topic] : byId_) {
        topic->answer = InTopic::Answer::pending;
        topic->received = topic->granted = 0;
        topic->names.clear();
    }
}

InTopics::Ptr InTopics::onReply(protocol::Reply const& reply) {
    auto const topic = find(reply.requestId);
    if (!topic || topic->answer != InTopic::Answer::pending) return nullptr;
    topic->answer = reply.code == Error::ok ? InTopic::Answer::accepted : InTopic::Answer::refused;
    topic->refusal = reply.code;
    return reply.code == Error::ok ? nullptr : topic;
}

void InTopics::countReceived(InTopic& topic, std::size_t bytes) {
    topic.received += bytes;
    topic.queued += bytes;
}

bool InTopics::countHandled(InTopic& topic, std::size_t bytes, bool up, std::chrono::steady_clock::time_point now,
                            Frames& control) const {
    topic.queued -= bytes;
    if (!up || !topic.active) return false;
    auto const credit = topic.received + window_ - std::min(window_, topic.queued);
    // Told in quarters of the window, so that a busy link carries few of them.
    if (credit < topic.granted + window_ / 4 && (credit <= topic.granted || now < topic.toldAt + kTellWithin)) return false;
    topic.toldAt = now;
    topic.granted = credit;
    encode(protocol::Credit{topic.id, credit}, control);
    return true;
}

void InTopics::tellProgress(bool pull, Frames& control) const {
    for (auto const& [id, topic] : byId_) {
        if (topic->queued > 0 && topic->isPull() == pull) encode(protocol::Credit{id, topic->granted}, control);
    }
}

}  // namespace gazellemq::client
