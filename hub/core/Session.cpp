#include "Session.hpp"

#include <algorithm>

#include "Batch.hpp"
#include "Broker.hpp"
#include "TopicName.hpp"
#include "Version.hpp"

namespace gazellemq::hub {

using protocol::ByteView;
using protocol::FrameType;

namespace {

/// A client may ask for shorter heartbeats than the hub's, but not so short that they are a load.
constexpr std::int64_t kMinHeartbeatMs = 100;
constexpr std::size_t kMaxClientNameBytes = 256;
constexpr std::int64_t kLongestLookMs = 1000;

Subscription::Wishes wishesOf(protocol::Subscribe const& subscribe) {
    Subscription::Wishes wishes{.start = {subscribe.start, subscribe.startValue}, .notFrom = subscribe.notFrom};
    if (subscribe.policy > 0) wishes.policy = static_cast<SlowPolicy>(subscribe.policy - 1);
    if (subscribe.partition > 0) wishes.partition = static_cast<std::uint16_t>(subscribe.partition - 1);
    return wishes;
}

}  // namespace

Session::Session(Broker& broker, std::uint64_t id, std::string peer)
    : broker_(broker),
      id_(id),
      peer_(std::move(peer)),
      openedMs_(broker.now().steadyMs),
      lastHeardMs_(openedMs_),
      heartbeatMs_(broker.limits().heartbeat.count()),
      delivery_(broker) {}

Session::~Session() {
    state_ = State::closing;
    endSubscriptions();
    due_.clear();
    for (auto const& [handle, publication] : publications_) {
        if (publication->topic) broker_.forget(*publication);
    }
}

void Session::heard() {
    lastHeardMs_ = broker_.now().steadyMs;
    pinged_ = false;
}

template <typename F>
void Session::take(ByteView body, void (Session::*handler)(F const&)) {
    if (auto const frame = protocol::decode<F>(body)) {
        (this->*handler)(*frame);
    } else {
        violation("a frame is too short for its type");
    }
}

bool Session::receive(protocol::Frame const& frame, protocol::BufferRef const& buffer) {
    if (state_ == State::closing) return false;
    if (state_ == State::waitingForHello) {
        if (frame.type == FrameType::hello) take(frame.body, &Session::onHello);
        else violation("the first frame is not HELLO");
        return state_ != State::closing;
    }
    switch (frame.type) {
        case FrameType::publish: onPublish(frame.body, buffer); break;
        case FrameType::credit: take(frame.body, &Session::onCredit); break;
        case FrameType::openTopic: take(frame.body, &Session::onOpenTopic); break;
        case FrameType::closeTopic: take(frame.body, &Session::onCloseTopic); break;
        case FrameType::flush: take(frame.body, &Session::onFlush); break;
        case FrameType::subscribe: take(frame.body, &Session::onSubscribe); break;
        case FrameType::unsubscribe: take(frame.body, &Session::onUnsubscribe); break;
        case FrameType::adminRequest: take(frame.body, &Session::onAdminRequest); break;
        case FrameType::ping: take(frame.body, &Session::onPing); break;
        case FrameType::pong: take(frame.body, &Session::onPong); break;
        case FrameType::drain: take(frame.body, &Session::onDrain); break;
        case FrameType::drainAck: take(frame.body, &Session::onDrainAck); break;
        case FrameType::goodbye: take(frame.body, &Session::onGoodbye); break;
        default: violation("a frame has a type that a client does not send"); break;
    }
    checkControl();
    return state_ != State::closing;
}

void Session::onHello(protocol::Hello const& hello) {
    clientName_ = hello.clientName.substr(0, kMaxClientNameBytes);
    if (hello.heartbeatMs > 0) heartbeatMs_ = std::clamp<std::int64_t>(hello.heartbeatMs, kMinHeartbeatMs, heartbeatMs_);
    auto const& limits = broker_.limits();
    protocol::Welcome welcome;
    welcome.serverId = broker_.serverId();
    welcome.serverName = "gazelle-hub " GAZELLEMQ_VERSION;
    welcome.heartbeatMs = static_cast<std::uint32_t>(heartbeatMs_);
    welcome.maxFrameBytes = static_cast<std::uint32_t>(limits.maxFrameBytes());
    welcome.maxPayloadBytes = static_cast<std::uint32_t>(limits.maxPayloadBytes);
    welcome.maxTopicBytes = static_cast<std::uint32_t>(limits.maxTopicBytes);
    welcome.maxSubscriptions = static_cast<std::uint32_t>(limits.maxSubscriptions);
    welcome.maxOpenTopics = static_cast<std::uint32_t>(limits.maxOpenTopics);
    welcome.maxConnections = static_cast<std::uint32_t>(limits.maxConnections);
    welcome.maxConnectionsPerAddress = static_cast<std::uint32_t>(limits.maxConnectionsPerAddress);
    welcome.maxTopics = static_cast<std::uint32_t>(limits.maxTopics);
    welcome.maxUnconfirmedBytes = limits.maxUnconfirmedBytes;
    state_ = State::ready;
    send(welcome);
}

void Session::onOpenTopic(protocol::OpenTopic const& open) {
    if (publications_.contains(open.handle)) return violation("OPEN_TOPIC names a handle that is open");
    if (auto const error = protocol::checkTopic(open.name); error != Error::ok) return reply(open.requestId, error);
    if (open.name.size() > broker_.limits().maxTopicBytes) return reply(open.requestId, Error::nameTooLong);
    if (publications_.size() >= broker_.limits().maxOpenTopics) return reply(open.requestId, Error::tooManyOpenTopics);
    auto error = Error::ok;
    auto* topic = broker_.topic(open.name, error);
    if (!topic) return reply(open.requestId, error);
    if (auto const most = topic->settings().maxPublishers; most > 0 && topic->publications().size() >= most) {
        return reply(open.requestId, Error::tooManyPublishersOfTopic);
    }
    auto publication = std::make_unique<Publication>(Publication{this, topic, open.handle});
    topic->attach(*publication);
    auto& added = *publication;
    publications_.emplace(open.handle, std::move(publication));
    reply(open.requestId, Error::ok, topic->partitionCount());
    broker_.confirm(added, true);
}

void Session::onCloseTopic(protocol::CloseTopic const& close) {
    auto const at = publications_.find(close.handle);
    if (at == publications_.end()) return violation("CLOSE_TOPIC names a handle that is not open");
    if (at->second->due) std::erase(due_, at->second.get());
    if (at->second->topic) {
        broker_.confirm(*at->second, true);
        broker_.forget(*at->second);
    }
    publications_.erase(at);
}

void Session::onPublish(ByteView body, protocol::BufferRef const& buffer) {
    if (body.size() < 8) return violation("a PUBLISH is too short");
    auto const at = publications_.find(protocol::load<std::uint32_t>(body.data()));
    if (at == publications_.end()) return violation("a PUBLISH names a handle that is not open");
    auto& publication = *at->second;
    if (drainAnswered_) return violation("a PUBLISH came after DRAIN_ACK");
    if (!publication.topic) return broker_.countRefused();  // it was deleted; the notice is on its way
    if (publication.unused() == 0) return violation(describe(Error::creditExceeded), Error::creditExceeded);
    if (broker_.mustRefuse(publication)) return fail(Error::hubMemoryFull, describe(Error::hubMemoryFull));
    auto const bytes = body.subspan(8);
    auto const header = protocol::BatchHeader::decode(bytes);
    if (!header || header->totalBytes() != bytes.size()) return violation("a PUBLISH holds something else than one batch");
    // The buffer is this connection's and not yet shared: the hub writes its part of the header in place.
    std::span<std::byte> const batch{const_cast<std::byte*>(bytes.data()), bytes.size()};
    auto const partition = protocol::load<std::uint32_t>(body.data() + 4);
    if (partition > publication.topic->partitionCount()) return violation("a PUBLISH names a partition that the topic does not have");
    Broker::Received const received{buffer, batch, *header, static_cast<std::uint16_t>(partition)};
    if (!broker_.append(publication, received)) return violation("a PUBLISH holds a batch that is damaged");
}

void Session::onFlush(protocol::Flush const&) { confirmDue(); }

bool Session::confirmLater(Publication& publication) {
    if (!std::exchange(publication.due, true)) due_.push_back(&publication);
    return !std::exchange(due, true);
}

/// Not all publications: a client may flush after each message and have a hundred thousand of them.
void Session::confirmDue() {
    for (auto* publication : std::exchange(due_, {})) {
        publication->due = false;
        if (publication->topic) broker_.confirm(*publication, true);
    }
}

void Session::onSubscribe(protocol::Subscribe const& subscribe) {
    if (subscriptions_.contains(subscribe.subscription)) return violation("SUBSCRIBE names a subscription that exists");
    if (auto const error = protocol::checkPattern(subscribe.pattern); error != Error::ok) {
        return reply(subscribe.requestId, error);
    }
    auto const& limits = broker_.limits();
    if (subscribe.pattern.size() > limits.maxTopicBytes) return reply(subscribe.requestId, Error::nameTooLong);
    if (subscriptions_.size() >= limits.maxSubscriptions) return reply(subscribe.requestId, Error::tooManySubscriptions);
    if (subscribe.policy > static_cast<std::uint8_t>(SlowPolicy::conflate) + 1) return violation("SUBSCRIBE has a policy that there is not");
    if (subscribe.start > protocol::StartKind::offset) return violation("SUBSCRIBE has a start that there is not");
    auto subscription = std::make_unique<Subscription>(*this, subscribe.subscription, std::string{subscribe.pattern}, wishesOf(subscribe),
                                                       subscribe.credit);
    if (auto const error = broker_.subscribe(*subscription); error != Error::ok) return reply(subscribe.requestId, error);
    subscriptions_.emplace(subscribe.subscription, std::move(subscription));
    reply(subscribe.requestId, Error::ok);
}

void Session::onUnsubscribe(protocol::Unsubscribe const& unsubscribe) {
    auto const at = subscriptions_.find(unsubscribe.subscription);
    if (at == subscriptions_.end()) return reply(unsubscribe.requestId, Error::notSubscribed);
    delivery_.forget(*at->second);
    broker_.unsubscribe(*at->second);
    subscriptions_.erase(at);
    reply(unsubscribe.requestId, Error::ok);
}

void Session::onCredit(protocol::Credit const& credit) {
    // A CREDIT may cross an UNSUBSCRIBE's reply: not an error.
    auto const at = subscriptions_.find(credit.subscription);
    if (at == subscriptions_.end()) return;
    at->second->raiseCredit(credit.credit);
    at->second->lastProgressMs = broker_.now().steadyMs;  // its callbacks go on
    offer(*at->second);
}

void Session::onAdminRequest(protocol::AdminRequest const& request) {
    if (auto* admin = broker_.admin()) return admin->request(id_, request.requestId, request.operation, request.arguments);
    send(protocol::AdminReply{request.requestId, Error::noSuchOperation, describe(Error::noSuchOperation), {}});
}

void Session::onPing(protocol::Ping const& ping) { send(protocol::Pong{ping.token}); }

void Session::onPong(protocol::Pong const&) {}  // heard() has taken note

void Session::onDrain(protocol::Drain const&) {
    endSubscriptions();
    send(protocol::DrainAck{});
}

void Session::onDrainAck(protocol::DrainAck const&) {
    if (state_ != State::draining || drainAnswered_) return violation("a DRAIN_ACK came without DRAIN");
    drainAnswered_ = true;
    broker_.sessionDrained();
}

void Session::onGoodbye(protocol::Goodbye const& goodbye) {
    endSubscriptions();
    confirmDue();
    endCode_ = goodbye.code;
    endReason_ = goodbye.reason;
    state_ = State::closing;
    broker_.wake(*this);
}

void Session::violation(std::string_view what, Error code) {
    broker_.countViolation();
    fail(code, what);
}

void Session::fail(Error code, std::string_view reason) {
    if (state_ == State::closing) return;
    endSubscriptions();
    confirmDue();
    send(protocol::Goodbye{code, reason});
    state_ = State::closing;
    endCode_ = code;
    endReason_ = reason;
}

void Session::endSubscriptions() {
    delivery_.forgetAll();
    for (auto const& [id, subscription] : subscriptions_) broker_.unsubscribe(*subscription);
    subscriptions_.clear();
}

void Session::reply(std::uint32_t requestId, Error code, std::uint16_t partitions) {
    send(protocol::Reply{requestId, code, code == Error::ok ? std::string_view{} : describe(code), partitions});
}

void Session::afterSend() { broker_.wake(*this); }

/// Not in send(): the broker may be walking through the subscriptions that fail() ends.
void Session::checkControl() {
    if (control_.size() > broker_.limits().maxControlBytes && state_ != State::closing) {
        control_.clear();
        fail(Error::limitReached, "the client does not read the replies that it asks for");
    }
}

void Session::tellGone(Reader& reader, Error code) {
    auto const id = reader.subscription->id();
    auto const handle = reader.topic->id();
    if (code != Error::ok && !std::exchange(reader.announced, true)) send(protocol::TopicNamed{id, handle, reader.topic->name()});
    if (!reader.announced) return;
    if (reader.dropped > 0) send(protocol::Dropped{id, handle, std::exchange(reader.dropped, 0)});
    send(protocol::TopicGone{id, handle, code});
}

void Session::offer(Subscription& subscription) {
    if (delivery_.offer(subscription)) broker_.wake(*this);
}

protocol::OutputQueue& Session::output() {
    if (output_.hasRoom()) {
        output_.push(std::exchange(control_, {}));
        if (speaking()) delivery_.fill(output_);
    }
    return output_;
}

void Session::startDrain() {
    if (state_ == State::waitingForHello) return fail(Error::goingAway, "the hub is shutting down");
    if (state_ != State::ready) return;
    state_ = State::draining;
    send(protocol::Drain{});
}

void Session::finishDrain() {
    if (state_ != State::draining || !output_.empty() || !control_.empty()) return;
    for (auto const& [id, subscription] : subscriptions_) {
        if (!subscription->ready().empty()) return;
    }
    fail(Error::goingAway, "the hub is shutting down");
}

std::int64_t Session::tick() {
    checkControl();
    auto const nowMs = broker_.now().steadyMs;
    auto const silence = nowMs - lastHeardMs_;
    switch (state_) {
        case State::waitingForHello:
            if (nowMs - openedMs_ > broker_.limits().handshakeTimeout.count()) {
                fail(Error::handshakeTimeout, describe(Error::handshakeTimeout));
            }
            break;
        case State::closing: break;
        case State::ready:
        case State::draining:
            if (silence > 2 * heartbeatMs_ + 1000) {
                broker_.countSilent();
                fail(Error::silent, describe(Error::silent));
            } else if (silence >= askAfterMs() && !pinged_) {
                pinged_ = true;
                send(protocol::Ping{static_cast<std::uint64_t>(nowMs)});
            }
            tickStalls(nowMs);
            break;
    }
    return nextTickMs();
}

/// What happens in between only makes something due later, but for an answer to a PING and a subscription that gets something to
/// take: then the next PING is not due within a heartbeat, nor is the limit over within a quarter of it.
std::int64_t Session::nextTickMs() const {
    auto const nowMs = broker_.now().steadyMs;
    if (!speaking()) return nowMs;
    auto const stallLimit = broker_.limits().stallLimit.count();
    auto next = std::min({nowMs + kLongestLookMs, nowMs + heartbeatMs_, nowMs + stallLimit / 4,
                          lastHeardMs_ + (pinged_ ? 2 * heartbeatMs_ + 1000 : askAfterMs())});
    for (auto const& [id, subscription] : subscriptions_) {
        if (subscription->holdsUpPublishers()) next = std::min(next, subscription->lastProgressMs + stallLimit);
    }
    return next;
}

void Session::tickStalls(std::int64_t nowMs) {
    auto const limit = broker_.limits().stallLimit.count();
    for (auto const& [id, subscription] : subscriptions_) {
        if (nowMs - subscription->lastProgressMs <= limit || !subscription->holdsUpPublishers()) continue;
        broker_.countStalled();
        auto const reason = "subscription to '" + subscription->pattern() + "' took none of the waiting messages for " +
                            std::to_string(limit) + " ms: return from callbacks sooner";
        return fail(Error::stalled, reason);
    }
}

}  // namespace gazellemq::hub
