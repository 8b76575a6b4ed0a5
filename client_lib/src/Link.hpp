#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "Connector.hpp"
#include "ControlFrames.hpp"
#include "FrameReader.hpp"
#include "LightMutex.hpp"
#include "OutputQueue.hpp"
#include "Stream.hpp"
#include "gazellemq/Options.hpp"

namespace gazellemq::client {

/// What a client does with its link. All are called with the link's lock held, on the link's thread, except fill() and written(),
/// which any thread that writes calls.
class LinkUser {
  public:
    using Clock = std::chrono::steady_clock;

    virtual void linkUp(protocol::Welcome const& welcome) = 0;
    virtual void linkDown(Error error, std::string const& reason) = 0;
    virtual void stateChanged(StateChange change) = 0;
    /// False: the frame breaks the protocol.
    virtual bool onFrame(protocol::Frame const& frame, protocol::BufferRef const& buffer) = 0;
    /// All frames of one read have been given.
    virtual void onReadDone() {}
    /// Follows onReadDone(), without the lock: who is waked here finds it free.
    virtual void afterRead() {}
    /// Adds data frames to `output` and what goes with them to `control`.
    virtual void fill(protocol::OutputQueue& output, std::vector<std::byte>& control) = 0;
    virtual void written(std::size_t bytes) = 0;
    /// When the link's thread should look at the user's leftovers again; it seals what should go now.
    virtual std::optional<Clock::time_point> flushLeftovers(Clock::time_point now) = 0;
    /// Much is coming: is there another thread that would have to be waked for it anyway, and that reads instead? It then
    /// calls readLent() again and again until that is false.
    virtual bool takeReading() { return false; }
    /// Might takeReading() ever be true?
    virtual bool lendsReading() const { return false; }
    /// May a new attempt begin? If not, the user calls wake() when it may.
    virtual bool mayConnect() { return true; }

  protected:
    ~LinkUser() = default;
};

/// Keeps a client connected: connects, greets, reads, writes, sends signs of life, and begins again, on a thread of its own.
///
/// One lock (`mutex`) guards the link's and its user's state. Writing is done by whichever thread calls write(), without
/// the lock during the system call, one thread at a time; what the socket does not take the link's thread writes later.
class Link {
  public:
    using Lock = std::unique_lock<LightMutex>;
    using Clock = LinkUser::Clock;

    explicit Link(LinkUser& user) : user_(user) {}
    /// close().
    ~Link();
    Link(Link const&) = delete;
    Link& operator=(Link const&) = delete;

    /// Starts the thread. Once.
    void start(std::string clientName, std::vector<transport::Url> urls, ConnectionOptions options);
    /// Ends the link and the thread; says goodbye if it is up. Not with the lock held.
    void close();

    LightMutex mutex;

    // With the lock held:
    bool started() const { return started_; }
    bool up() const { return up_; }
    State state() const { return state_; }
    bool wasEverUp() const { return wasEverUp_; }
    /// The first attempt to connect has not ended yet.
    bool inFirstAttempt() const { return started_ && !wasEverUp_ && !everDown_; }
    /// Queues a control frame; write() or wake() sends it.
    template <typename F>
    void send(F const& frame) {
        encode(frame, control_);
    }
    void sendEncoded(std::vector<std::byte> const& frames) { control_.insert(control_.end(), frames.begin(), frames.end()); }
    /// One gathered write now, if the socket is free. Unlocks meanwhile.
    void write(Lock& lock);
    /// True if write() would be first to use a socket that has rested since `since`.
    bool restedSince(Clock::time_point since) const { return up_ && !writing_ && !full_ && lastWrite_ <= since; }
    bool busy() const { return writing_ || full_; }
    /// write() would ask fill() for data now.
    bool takesData() const { return up_ && !busy() && !draining_; }
    Clock::time_point lastWrite() const { return lastWrite_; }
    /// The link's thread looks at what there is to write, to flush, or to connect.
    void wake();
    /// For the thread that has taken the reading: reads once, waiting a moment for something to come, and takes the frames.
    /// False: the link's thread reads again. Not with the lock held.
    bool readLent();
    /// Names are found by this instead of getaddrinfo (tests).
    transport::ResolveName resolveName = transport::resolveBySystem;

  private:
    using StreamPtr = std::shared_ptr<transport::Stream>;

    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> waitUntilAllowed();
    boost::asio::awaitable<void> attempt();
    boost::asio::awaitable<void> limitAttempt();
    boost::asio::awaitable<bool> greet(StreamPtr stream);
    boost::asio::awaitable<bool> sendHello(StreamPtr stream);
    boost::asio::awaitable<void> connectAndGreet();
    boost::asio::awaitable<void> serve();
    boost::asio::awaitable<void> read();
    bool lend();
    boost::asio::awaitable<void> untilReturned();
    boost::asio::awaitable<void> pump();
    boost::asio::awaitable<void> watch();
    bool readTurn();
    enum class Read : std::uint8_t { part, all, nothing, end };
    Read readOnce();
    bool takeFrames();
    bool takeFrame(protocol::Frame const& frame);
    void goUp(protocol::Welcome const& welcome);
    void goDown();
    void fail(Error error, std::string reason);
    void changeState(StateChange change);
    bool hasOutput() const;
    transport::Url const& url() const { return urls_[current_]; }

    LinkUser& user_;
    std::string clientName_;
    std::vector<transport::Url> urls_;
    std::size_t current_ = 0;  // of urls_
    ConnectionOptions options_;
    protocol::Id instanceId_{};
    boost::asio::io_context io_{1};
    boost::asio::steady_timer wakeTimer_{io_};
    boost::asio::steady_timer pauseTimer_{io_};
    boost::asio::steady_timer lentTimer_{io_};
    std::thread thread_;
    std::mutex joinMutex_;  // two threads may close; both return when the thread has ended
    std::shared_ptr<protocol::BufferPool> pool_ = protocol::BufferPool::create(128 * 1024, 32);

    // Of the link's thread.
    std::chrono::milliseconds heartbeat_{5000};

    // Of the thread that reads.
    std::optional<protocol::FrameReader> reader_;

    // Guarded by the mutex.
    bool started_ = false;
    State state_ = State::connecting;
    StreamPtr stream_;
    bool up_ = false;
    bool wasEverUp_ = false;
    bool everDown_ = false;  // an attempt has failed, or a link was lost
    bool closing_ = false;
    bool writing_ = false;  // a thread is in the system call
    bool wantedMeanwhile_ = false;  // another one wanted to write then
    bool full_ = false;     // the socket takes no more; the link's thread waits for it
    bool draining_ = false; // the hub asked to send no more data
    bool wakePosted_ = false;
    bool lent_ = false;     // another thread does the reading
    bool lentBusy_ = false; // it is in readLent()
    bool readEnded_ = false;
    std::uint64_t lentReads_ = 0;
    Clock::time_point lastHeard_;
    Error error_ = Error::ok;  // why the link goes down; the first reason stays
    std::string reason_;
    Clock::time_point lastWrite_{};
    std::vector<std::byte> control_;
    protocol::OutputQueue output_;
    std::condition_variable_any released_;  // the stream, by a thread that wrote or read
};

}  // namespace gazellemq::client
