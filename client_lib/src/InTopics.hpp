#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "ControlFrames.hpp"
#include "SubscriberClient.hpp"

namespace gazellemq::client {

/// One subscribe() of a SubscriberClient: what to call, and the credit that the hub was given.
struct InTopic {
    using Name = std::shared_ptr<std::string const>;
    using Callback = std::variant<std::monostate, SubscriberClient::OnString, SubscriberClient::OnMessage, SubscriberClient::OnMessages>;
    enum class Answer : std::uint8_t { pending, accepted, refused };

    std::uint32_t id = 0;
    std::string pattern;
    SubscribeOptions options;
    Callback callback;                ///< monostate: pull style
    std::atomic<bool> active{true};   ///< false: the callback must not run any more

    // Guarded by the client's lock.
    Answer answer = Answer::pending;
    Error refusal = Error::ok;
    std::uint64_t received = 0;       ///< bytes of batches on this link
    std::uint64_t queued = 0;         ///< bytes received on any link and not yet handled
    std::uint64_t granted = 0;        ///< absolute credit on this link
    std::chrono::steady_clock::time_point toldAt{};  ///< when the hub was told of the last progress
    std::unordered_map<std::uint32_t, Name> names;  ///< of topics, by the hub's handles, on this link

    bool isPull() const { return std::holds_alternative<std::monostate>(callback); }
};

/// The subscriptions of a subscriber and what the hub must be told of them. Pure; guarded by its client's lock.
class InTopics {
  public:
    using Ptr = std::shared_ptr<InTopic>;
    using Frames = std::vector<std::byte>;

    explicit InTopics(std::uint64_t window) : window_(window) {}
    void setWindow(std::uint64_t window) { window_ = window; }

    Ptr add(std::string_view pattern, InTopic::Callback callback, SubscribeOptions const& options = {});
    Ptr find(std::uint32_t id) const;
    std::vector<Ptr> findAll(std::string_view pattern) const;
    /// Forgets a subscription; tells the hub if `up`.
    void remove(InTopic& topic, bool up, Frames& control);
    std::vector<Ptr> all() const;

    /// SUBSCRIBE for everything, with what room is left as credit.
    void linkUp(Frames& control);
    void linkDown();
    void subscribe(InTopic& topic, Frames& control) const;
    /// The hub's answer to a SUBSCRIBE; the subscription if it was refused.
    Ptr onReply(protocol::Reply const& reply);
    /// A DELIVER arrived with `bytes` of batches.
    static void countReceived(InTopic& topic, std::size_t bytes);
    /// They were handled. True if a CREDIT was added to `control`.
    bool countHandled(InTopic& topic, std::size_t bytes, bool up, std::chrono::steady_clock::time_point now, Frames& control) const;
    /// A callback (pull: receive()) has returned: repeats the credit of every subscription that waits its turn, which tells the hub that
    /// the program goes on.
    void tellProgress(bool pull, Frames& control) const;

  private:
    std::uint64_t window_;
    std::uint32_t nextId_ = 1;
    std::unordered_map<std::uint32_t, Ptr> byId_;
};

}  // namespace gazellemq::client
