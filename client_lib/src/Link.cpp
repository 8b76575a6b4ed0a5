#include "Link.hpp"

#include <algorithm>
#include <random>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "Backoff.hpp"

namespace gazellemq::client {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;
using boost::system::error_code;
using protocol::FrameReader;
using protocol::FrameType;

/// Before the WELCOME tells the hub's own limit.
constexpr std::size_t kMaxWelcomeFrameBytes = 64 * 1024;
/// Largest DELIVER that is accepted: a hub's largest possible payload and headers.
constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 31;
/// The hub keeps so much of it.
constexpr std::size_t kMaxClientNameBytes = 256;
constexpr int kReadsPerTurn = 4;
/// Reads that follow each other so closely are worth lending; the borrower waits so long for the next.
constexpr auto kMuchComes = 1ms;
/// A borrower that has not read for so long is in a callback.
constexpr auto kLentPatience = 20ms;

protocol::Id randomId() {
    std::random_device source;
    protocol::Id id;
    for (auto& byte : id) byte = static_cast<std::byte>(source());
    return id;
}

double randomFraction() {
    return static_cast<double>(std::random_device{}()) / static_cast<double>(std::random_device::max());
}

asio::awaitable<void> waitFor(asio::steady_timer& timer) {
    error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace

Link::~Link() { close(); }

void Link::start(std::string clientName, std::vector<transport::Url> urls, ConnectionOptions options) {
    clientName_ = std::move(clientName);
    urls_ = std::move(urls);
    options_ = options;
    instanceId_ = randomId();
    started_ = true;
    asio::co_spawn(io_, run(), asio::detached);
    thread_ = std::thread([this] {
        LightMutex::allowFavourites();
        io_.run();
    });
}

void Link::close() {
    {
        Lock lock{mutex};
        if (!started_) return;
        if (up_ && !closing_) {
            send(protocol::Goodbye{Error::ok, "closed"});
            write(lock);
        }
        closing_ = true;
        fail(Error::closed, "closed by the program");
        asio::post(io_, [this] {
            Lock const ioLock{mutex};
            wakeTimer_.cancel();
            pauseTimer_.cancel();
            if (stream_) stream_->shutdown();
            else io_.stop();  // an attempt is under way: its coroutines go with the io_context
        });
    }
    std::lock_guard const joining{joinMutex_};
    if (thread_.joinable()) thread_.join();
}

void Link::wake() {
    if (std::exchange(wakePosted_, true)) return;
    asio::post(io_, [this] {
        Lock const lock{mutex};
        wakePosted_ = false;
        wakeTimer_.cancel();
    });
}

asio::awaitable<void> Link::run() {
    Backoff backoff{options_.backoffMin, options_.backoffMax};
    for (;;) {
        co_await waitUntilAllowed();
        {
            Lock const lock{mutex};
            if (closing_) co_return;
            error_ = Error::ok;
            reason_.clear();
            changeState({State::connecting, Error::ok, {}});
        }
        co_await attempt();
        if (up_) {
            backoff.reset();
            co_await serve();
        }
        goDown();
        {
            Lock const lock{mutex};
            if (closing_) co_return;
        }
        // The other hubs are tried at once; when all have had their turn there is a pause.
        current_ = (current_ + 1) % urls_.size();
        if (current_ != 0) continue;
        pauseTimer_.expires_after(backoff.next(randomFraction()));
        co_await waitFor(pauseTimer_);
    }
}

asio::awaitable<void> Link::waitUntilAllowed() {
    for (;;) {
        {
            Lock const lock{mutex};
            if (closing_ || user_.mayConnect()) co_return;
        }
        wakeTimer_.expires_at(Clock::time_point::max());
        co_await waitFor(wakeTimer_);
    }
}

/// One attempt, within connectTimeout. up_ tells whether it succeeded.
asio::awaitable<void> Link::attempt() {
    co_await (connectAndGreet() || limitAttempt());
}

asio::awaitable<void> Link::limitAttempt() {
    asio::steady_timer limit{io_, options_.connectTimeout};
    error_code cancelled;
    co_await limit.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    if (cancelled) co_return;
    Lock const lock{mutex};
    fail(Error::handshakeTimeout,
         "no link to " + url().toString() + " within " + std::to_string(options_.connectTimeout.count()) + " ms");
}

asio::awaitable<void> Link::connectAndGreet() {
    auto const stream = co_await transport::connect(url(), resolveName);
    if (!stream) {
        Lock const lock{mutex};
        fail(Error::linkLost, "cannot connect to " + url().toString() + ": " + stream.error().message());
        co_return;
    }
    {
        Lock const lock{mutex};
        stream_ = *stream;
        if (closing_) co_return;
    }
    reader_.emplace(pool_, kMaxWelcomeFrameBytes);
    if (co_await sendHello(*stream) && !co_await greet(*stream)) {
        Lock const lock{mutex};
        fail(Error::linkLost, url().toString() + " does not answer like a hub");
    }
}

asio::awaitable<bool> Link::sendHello(StreamPtr stream) {
    std::vector<std::byte> bytes(protocol::kMagic.size());
    std::transform(protocol::kMagic.begin(), protocol::kMagic.end(), bytes.begin(), [](auto byte) { return std::byte{byte}; });
    protocol::Hello hello;
    hello.instanceId = instanceId_;
    hello.clientName = std::string_view{clientName_}.substr(0, kMaxClientNameBytes);
    hello.heartbeatMs = static_cast<std::uint32_t>(options_.heartbeat.count());
    encode(hello, bytes);
    for (std::size_t sent = 0; sent < bytes.size();) {
        iovec const piece{bytes.data() + sent, bytes.size() - sent};
        auto const written = stream->tryWrite({&piece, 1});
        if (written) {
            sent += *written;
        } else if (written.error() != asio::error::would_block || co_await stream->waitWritable()) {
            Lock const lock{mutex};
            fail(Error::linkLost, "the connection to " + url().toString() + " broke during the handshake");
            co_return false;
        }
    }
    co_return true;
}

/// Waits for the WELCOME, then raises the link. False if something else came.
asio::awaitable<bool> Link::greet(StreamPtr stream) {
    for (;;) {
        if (co_await stream->waitReadable()) co_return false;
        auto const received = stream->tryRead(reader_->prepare());
        if (!received && received.error() != asio::error::would_block) co_return false;
        if (received) reader_->commit(*received);
        protocol::Frame frame;
        auto const step = reader_->next(frame);
        if (step == FrameReader::Step::tooLarge) co_return false;
        if (step == FrameReader::Step::needMore) continue;
        if (frame.type == FrameType::goodbye) {
            if (auto const goodbye = protocol::decode<protocol::Goodbye>(frame.body)) {
                Lock const lock{mutex};
                fail(goodbye->code == Error::ok ? Error::linkLost : goodbye->code, std::string{goodbye->reason});
                co_return true;
            }
            co_return false;
        }
        auto const welcome = frame.type == FrameType::welcome ? protocol::decode<protocol::Welcome>(frame.body) : std::nullopt;
        if (!welcome) co_return false;
        goUp(*welcome);
        co_return true;
    }
}

void Link::goUp(protocol::Welcome const& welcome) {
    heartbeat_ = std::clamp<std::chrono::milliseconds>(std::chrono::milliseconds{welcome.heartbeatMs}, 50ms, 1h);
    reader_->setMaxFrameBytes(kMaxFrameBytes);
    Lock const lock{mutex};
    lastHeard_ = Clock::now();
    readEnded_ = false;
    if (closing_) return;
    up_ = wasEverUp_ = true;
    user_.linkUp(welcome);
    changeState({State::ready, Error::ok, {}});
}

void Link::goDown() {
    Lock lock{mutex};
    // A thread may be in the middle of a write; it ends at once, the socket being shut down.
    if (stream_) stream_->shutdown();
    lent_ = false;
    released_.wait(lock, [this] { return !writing_ && !lentBusy_; });
    stream_.reset();
    reader_.reset();
    output_.clear();
    control_.clear();
    full_ = draining_ = false;
    everDown_ = true;
    if (error_ == Error::ok) fail(Error::linkLost, "the hub closed the connection");
    if (std::exchange(up_, false)) user_.linkDown(error_, reason_);
    if (!closing_) changeState({State::disconnected, error_, reason_});
}

asio::awaitable<void> Link::serve() { co_await (read() || pump() || watch()); }

asio::awaitable<void> Link::read() {
    auto const stream = stream_;
    if (!takeFrames()) co_return;  // some may have come with the WELCOME
    for (;;) {
        reader_->rest();
        if (co_await stream->waitReadable()) co_return;
        if (user_.lendsReading() && lend()) {
            stream->stopWatching();
            co_await untilReturned();
            Lock const lock{mutex};
            if (readEnded_) co_return;
        } else if (!readTurn()) {
            co_return;
        }
    }
}

bool Link::lend() {
    Lock const lock{mutex};
    return lent_ = !full_ && Clock::now() - lastHeard_ < kMuchComes && user_.takeReading();
}

/// Waits until the reading is given back; takes it back from a thread that has got stuck in a callback.
asio::awaitable<void> Link::untilReturned() {
    for (std::optional<std::uint64_t> seen;;) {
        {
            Lock const lock{mutex};
            if (!lentBusy_ && std::exchange(seen, lentReads_) == lentReads_) lent_ = false;
            if (!lent_) co_return;
        }
        lentTimer_.expires_after(kLentPatience);
        co_await waitFor(lentTimer_);
    }
}

bool Link::readLent() {
    {
        Lock const lock{mutex};
        if (!lent_) return false;
        lentBusy_ = true;
        ++lentReads_;
    }
    auto read = readOnce();
    if (read == Read::nothing && stream_->blockUntilReadable(kMuchComes)) read = readOnce();
    Lock const lock{mutex};
    lentBusy_ = false;
    released_.notify_all();
    if (!lent_ || read == Read::part || read == Read::all) return lent_;
    readEnded_ = read == Read::end;
    lent_ = false;
    asio::post(io_, [this] { lentTimer_.cancel(); });
    return false;
}

/// Reads and takes what is there. False when the link is at its end.
bool Link::readTurn() {
    for (int i = 0; i < kReadsPerTurn; ++i) {
        auto const read = readOnce();
        if (read != Read::part) return read != Read::end;
    }
    return true;
}

Link::Read Link::readOnce() {
    auto const room = reader_->prepare();
    auto const received = stream_->tryRead(room);
    if (!received) {
        if (received.error() == asio::error::would_block) return Read::nothing;
        Lock const lock{mutex};
        fail(Error::linkLost, received.error() == asio::error::eof ? "the hub closed the connection" : received.error().message());
        return Read::end;
    }
    reader_->commit(*received);
    if (!takeFrames()) return Read::end;
    return *received < room.size() ? Read::all : Read::part;
}

/// Takes the whole frames that have been read. False when the link is at its end.
bool Link::takeFrames() {
    auto good = true;
    {
        Lock const lock{mutex};
        lastHeard_ = Clock::now();
        protocol::Frame frame;
        auto step = FrameReader::Step::needMore;
        while (good && (step = reader_->next(frame)) == FrameReader::Step::frame) good = takeFrame(frame);
        user_.onReadDone();
        if (step == FrameReader::Step::tooLarge) fail(Error::protocolViolation, "the hub sent a frame that is too large");
        if (hasOutput()) wake();
        good = good && step != FrameReader::Step::tooLarge && !closing_;
    }
    user_.afterRead();
    return good;
}

bool Link::takeFrame(protocol::Frame const& frame) {
    switch (frame.type) {
        case FrameType::ping:
            if (auto const ping = protocol::decode<protocol::Ping>(frame.body)) send(protocol::Pong{ping->token});
            return true;
        case FrameType::pong: return true;
        case FrameType::drain:
            // Nothing follows the DRAIN_ACK but control frames; a batch cut off in the middle is finished before it.
            draining_ = true;
            send(protocol::DrainAck{});
            return true;
        case FrameType::goodbye: {
            auto const goodbye = protocol::decode<protocol::Goodbye>(frame.body);
            if (goodbye) fail(goodbye->code == Error::ok ? Error::goingAway : goodbye->code, std::string{goodbye->reason});
            return false;
        }
        default: break;
    }
    if (user_.onFrame(frame, reader_->buffer())) return true;
    fail(Error::protocolViolation, "the hub sent a frame that this client does not understand");
    return false;
}

bool Link::hasOutput() const { return !control_.empty() || !output_.empty(); }

void Link::write(Lock& lock) {
    if (writing_) wantedMeanwhile_ = true;
    if (!up_ || writing_ || full_) return;
    for (;;) {
        if (!draining_) user_.fill(output_, control_);
        output_.push(std::exchange(control_, {}));
        if (output_.empty()) break;
        wantedMeanwhile_ = false;
        writing_ = true;
        auto const stream = stream_.get();  // goDown() waits
        auto const pieces = output_.gather();
        auto const wanted = output_.bytes();
        lock.unlock();
        auto const written = stream->tryWrite(pieces);
        lock.lock();
        writing_ = false;
        lastWrite_ = Clock::now();
        if (written) {
            output_.consume(*written);
            user_.written(*written);
        } else if (written.error() != asio::error::would_block) {
            fail(Error::linkLost, written.error().message());  // pump() ends the link
        }
        full_ = !written || *written < wanted;
        released_.notify_all();
        if (full_ || error_ != Error::ok || !wantedMeanwhile_) break;
        // Who came meanwhile and went away again may have had something that only fill() knows of.
    }
    if (full_ || hasOutput() || error_ != Error::ok) wake();
}

/// Writes what others left, and flushes open batches after a short rest.
asio::awaitable<void> Link::pump() {
    auto const stream = stream_;
    for (;;) {
        auto next = Clock::time_point::max();
        auto full = false;
        {
            Lock lock{mutex};
            if (error_ != Error::ok) co_return;
            if (auto const again = user_.flushLeftovers(Clock::now())) next = *again;
            do {
                write(lock);
            } while (!full_ && !writing_ && hasOutput() && error_ == Error::ok);
            full = full_;
        }
        if (full) {
            auto const error = co_await stream->waitWritable();
            Lock const lock{mutex};
            full_ = false;
            if (error) co_return;
        } else {
            wakeTimer_.expires_at(next);
            co_await waitFor(wakeTimer_);
        }
    }
}

/// Signs of life: asks a silent hub, and gives it up when it does not answer.
asio::awaitable<void> Link::watch() {
    asio::steady_timer timer{io_};
    for (auto asked = Clock::time_point{};;) {
        timer.expires_after(heartbeat_ / 8);
        co_await waitFor(timer);
        Lock lock{mutex};
        auto const silence = Clock::now() - lastHeard_;
        if (silence > 2 * heartbeat_ + 1s) {
            fail(Error::silent, std::string{describe(Error::silent)});
            co_return;
        }
        if (silence >= heartbeat_ && asked <= lastHeard_) {
            asked = Clock::now();
            send(protocol::Ping{});
            write(lock);
        }
    }
}

void Link::fail(Error error, std::string reason) {
    if (error_ != Error::ok) return;
    error_ = error;
    reason_ = std::move(reason);
}

void Link::changeState(StateChange change) {
    state_ = change.state;
    user_.stateChanged(std::move(change));
}

}  // namespace gazellemq::client
