#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ControlFrames.hpp"
#include "Delivery.hpp"
#include "Frame.hpp"
#include "OutputQueue.hpp"
#include "Publication.hpp"
#include "Subscription.hpp"

namespace gazellemq::hub {

class Broker;

/// The hub's side of one connection, without the connection: takes frames, answers them, and says what to write next.
/// Owned by the Broker; driven by the shell on the core's thread.
///
/// Life: waitingForHello -> ready -> (draining ->) closing. In `closing` nothing more is taken; the shell closes the
/// connection when finished().
class Session {
  public:
    Session(Broker& broker, std::uint64_t id, std::string peer);
    ~Session();
    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;

    /// One frame; `buffer` is what its body lies in. False when the connection takes no more.
    bool receive(protocol::Frame const& frame, protocol::BufferRef const& buffer);
    /// Something arrived, if only a part of a frame.
    void heard();
    /// Ends the conversation: a GOODBYE with the reason is the last frame.
    void fail(Error code, std::string_view reason);
    /// The magic was wrong: there is nothing to say to such a peer.
    void abort() { state_ = State::closing; }

    /// What to write now; more may come with each call.
    protocol::OutputQueue& output();
    bool finished() const { return state_ == State::closing && control_.empty() && output_.empty(); }
    /// Would output() give something?
    bool hasOutput() const { return !control_.empty() || !output_.empty() || (speaking() && !delivery_.empty()); }
    bool closing() const { return state_ == State::closing; }

    /// Never given twice by one hub.
    std::uint64_t id() const { return id_; }
    std::string const& peer() const { return peer_; }
    std::string const& clientName() const { return clientName_; }
    std::size_t subscriptionCount() const { return subscriptions_.size(); }
    /// Topics opened for publishing.
    std::size_t publicationCount() const { return publications_.size(); }
    std::int64_t openedMs() const { return openedMs_; }
    /// Why the session ended; `ok` while it goes on or when the client said goodbye.
    Error endCode() const { return endCode_; }
    std::string const& endReason() const { return endReason_; }

    // For the broker.
    template <typename F>
    void send(F const& frame) {
        if (state_ == State::closing) return;  // the goodbye was the last
        encode(frame, control_);
        afterSend();
    }
    void offer(Subscription& subscription);
    /// The topic of `reader` is going away: quietly (`ok`) as unused, or because of `code`.
    void tellGone(Reader& reader, Error code);
    /// Heartbeats and limits of time. When to look again, in milliseconds of the steady clock.
    std::int64_t tick();
    void startDrain();
    /// Says goodbye if everything has been delivered.
    void finishDrain();
    bool drainAnswered() const { return drainAnswered_; }
    /// The publication's confirm can wait for the others'. True if the broker has to put the session on its list.
    bool confirmLater(Publication& publication);
    void confirmDue();
    bool awake = false;              ///< in the broker's list of whom to write to
    bool due = false;                ///< in the broker's list of who has confirms to send
    std::size_t lookIndex = 0;       ///< in the broker's list of when to look at whom
    std::uint64_t unusedCredit = 0;  ///< over all its publications, kept by the broker

  private:
    enum class State : std::uint8_t { waitingForHello, ready, draining, closing };

    template <typename F>
    void take(protocol::ByteView body, void (Session::*handler)(F const&));
    void onHello(protocol::Hello const& hello);
    void onOpenTopic(protocol::OpenTopic const& open);
    void onCloseTopic(protocol::CloseTopic const& close);
    void onPublish(protocol::ByteView body, protocol::BufferRef const& buffer);
    void onFlush(protocol::Flush const&);
    void onSubscribe(protocol::Subscribe const& subscribe);
    void onUnsubscribe(protocol::Unsubscribe const& unsubscribe);
    void onCredit(protocol::Credit const& credit);
    void onAdminRequest(protocol::AdminRequest const& request);
    void onPing(protocol::Ping const& ping);
    void onPong(protocol::Pong const& pong);
    void onDrain(protocol::Drain const&);
    void onDrainAck(protocol::DrainAck const&);
    void onGoodbye(protocol::Goodbye const& goodbye);
    void violation(std::string_view what, Error code = Error::protocolViolation);
    bool speaking() const { return state_ == State::ready || state_ == State::draining; }
    void reply(std::uint32_t requestId, Error code, std::uint16_t partitions = 0);
    void afterSend();
    void checkControl();
    void endSubscriptions();
    void tickStalls(std::int64_t nowMs);
    std::int64_t nextTickMs() const;
    /// Silence before a PING. A client asks after one heartbeat by itself, and then need not be asked: with thousands of idle ones half
    /// of what they cost.
    std::int64_t askAfterMs() const { return heartbeatMs_ + heartbeatMs_ / 2; }

    Broker& broker_;
    std::uint64_t const id_;
    std::string const peer_;
    std::string clientName_;
    State state_ = State::waitingForHello;
    bool drainAnswered_ = false;
    bool pinged_ = false;
    Error endCode_ = Error::ok;
    std::string endReason_;
    std::int64_t const openedMs_;
    std::int64_t lastHeardMs_;
    std::int64_t heartbeatMs_;
    std::unordered_map<std::uint32_t, std::unique_ptr<Publication>> publications_;
    std::vector<Publication*> due_;  // with a confirm to send soon
    std::unordered_map<std::uint32_t, std::unique_ptr<Subscription>> subscriptions_;
    Delivery delivery_;
    std::vector<std::byte> control_;  // encoded frames that go before the next data
    protocol::OutputQueue output_;
};

}  // namespace gazellemq::hub
