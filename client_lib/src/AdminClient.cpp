#include "AdminClient.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "ControlFrames.hpp"
#include "Fork.hpp"
#include "Hubs.hpp"
#include "Link.hpp"

namespace gazellemq::client {
namespace {

constexpr std::size_t kMostArgumentBytes = 65'535;

AdminAnswer failure(Error error, std::string sentence = {}) {
    return {error, sentence.empty() ? std::string{describe(error)} : std::move(sentence), {}};
}

}  // namespace

/// The link, and the request under way. The link's lock guards everything but the turns of the threads that ask.
class AdminClient::Impl final : public LinkUser {
  public:
    using Millis = std::chrono::milliseconds;

    Error connect(std::string_view name, std::vector<transport::Url> hubs, ConnectionOptions const& options) {
        if (hubs.empty()) return Error::invalidUrl;
        if (options.backoffMin <= Millis{0} || options.backoffMax < options.backoffMin || options.connectTimeout <= Millis{0} ||
            options.heartbeat < Millis{100}) {
            return Error::invalidOption;
        }
        Link::Lock const lock{link.mutex};
        if (closed_) return Error::closed;
        if (link.started()) return Error::alreadyConnected;
        link.start(std::string{name}, std::move(hubs), options);
        return Error::ok;
    }

    AdminAnswer request(std::string_view operation, std::string_view arguments, Millis timeout) {
        if (arguments.size() > kMostArgumentBytes) return failure(Error::tooLarge);
        auto const deadline = Clock::now() + timeout;
        std::lock_guard const turn{turn_};
        Link::Lock lock{link.mutex};
        auto const downsBefore = downs_;
        auto const ended = [&] { return closed_ || downs_ != downsBefore; };
        changed_.wait_until(lock, deadline, [&] { return ended() || link.up(); });
        answer_.reset();
        if (!ended() && link.up()) {
            link.send(protocol::AdminRequest{++requestId_, operation, arguments});
            link.write(lock);
            changed_.wait_until(lock, deadline, [&] { return ended() || answer_; });
        }
        if (answer_) return *std::exchange(answer_, std::nullopt);
        if (closed_) return failure(Error::closed);
        if (downs_ != downsBefore) return failure(Error::linkLost, "the hub cannot be reached: " + whyDown_);
        return failure(Error::timeout, "the hub did not answer in time");
    }

    void close() {
        {
            Link::Lock const lock{link.mutex};
            closed_ = true;
            changed_.notify_all();
        }
        link.close();
    }

    bool isHere() const { return ForkCount::now() == forks_; }

    Link link{*this};

  private:
    void linkUp(protocol::Welcome const&) override { changed_.notify_all(); }
    void linkDown(Error, std::string const&) override {}
    void stateChanged(StateChange change) override {
        if (change.state == State::disconnected) {
            ++downs_;
            whyDown_ = change.reason.empty() ? std::string{describe(change.error)} : change.reason;
        }
        changed_.notify_all();
    }
    bool onFrame(protocol::Frame const& frame, protocol::BufferRef const&) override {
        if (frame.type != protocol::FrameType::adminReply) return false;
        auto const reply = protocol::decode<protocol::AdminReply>(frame.body);
        if (!reply) return false;
        // An earlier one may come after its time was over.
        if (reply->requestId == requestId_) answer_ = AdminAnswer{reply->code, std::string{reply->sentence}, std::string{reply->result.text}};
        changed_.notify_all();
        return true;
    }
    void fill(protocol::OutputQueue&, std::vector<std::byte>&) override {}
    void written(std::size_t) override {}
    std::optional<Clock::time_point> flushLeftovers(Clock::time_point) override { return std::nullopt; }

    std::uint32_t const forks_ = ForkCount::now();
    std::mutex turn_;
    std::condition_variable_any changed_;
    bool closed_ = false;
    std::uint32_t requestId_ = 0;
    std::optional<AdminAnswer> answer_;
    std::uint64_t downs_ = 0;  // how often an attempt failed or a link was lost
    std::string whyDown_;
};

AdminClient::AdminClient() : impl_(std::make_shared<Impl>()) {}

AdminClient::~AdminClient() {
    if (impl_->isHere()) {
        impl_->close();
        return;
    }
    // As with the other clients: in the child of a fork there is nothing to stop and nothing that can be freed safely.
    new std::shared_ptr<Impl>(std::move(impl_));
}

Error AdminClient::connectToHub(std::string_view name, std::string_view url, ConnectionOptions const& options) {
    return impl_->isHere() ? impl_->connect(name, parseHubs(std::array{url}), options) : Error::forked;
}

AdminAnswer AdminClient::request(std::string_view operation, std::string_view arguments, std::chrono::milliseconds timeout) {
    return impl_->isHere() ? impl_->request(operation, arguments, timeout) : failure(Error::forked);
}

void AdminClient::close() {
    if (impl_->isHere()) impl_->close();
}

}  // namespace gazellemq::client
