#include "Link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "Batches.hpp"
#include "Waiting.hpp"

namespace gazellemq::client {
namespace {

using namespace test;
namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

/// A LinkUser that counts frames and can be made to hold the link's thread in one.
struct FakeUser : LinkUser {
    Gate up;
    Gate inFrame;
    Gate* holdFirst = nullptr;
    std::atomic<int> frames{0};
    Inbox<State> states;
    Inbox<Error> errors;

    void linkUp(protocol::Welcome const&) override { up.open(); }
    void linkDown(Error, std::string const&) override {}
    void stateChanged(StateChange change) override {
        states.add(change.state);
        errors.add(change.error);
    }
    bool onFrame(protocol::Frame const&, protocol::BufferRef const&) override {
        if (holdFirst && frames == 0) {
            inFrame.open();
            holdFirst->wait();
        }
        ++frames;
        return true;
    }
    void fill(protocol::OutputQueue&, std::vector<std::byte>&) override {}
    void written(std::size_t) override {}
    std::optional<Clock::time_point> flushLeftovers(Clock::time_point) override { return std::nullopt; }
};

/// A listening socket, and the hub's side of one connection as bare bytes.
struct BareHub {
    asio::io_context io;
    Tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
    Tcp::socket socket{io};

    transport::Url url() { return {"127.0.0.1", acceptor.local_endpoint().port()}; }
    void acceptAndWelcome() {
        acceptor.accept(socket);
        Bytes hello(protocol::kMagic.size() + protocol::kFrameHeaderBytes);
        asio::read(socket, asio::buffer(hello));
        hello.resize(protocol::load<std::uint32_t>(hello.data() + protocol::kMagic.size()));
        asio::read(socket, asio::buffer(hello));
        protocol::Welcome welcome;
        welcome.heartbeatMs = 3'600'000;
        welcome.maxFrameBytes = 1 << 20;
        send(encoded(welcome));
    }
    void send(Bytes const& bytes) { asio::write(socket, asio::buffer(bytes)); }
};

ConnectionOptions options() {
    ConnectionOptions options;
    options.heartbeat = 1h;
    options.backoffMin = options.backoffMax = 1ms;
    return options;
}

TEST(Link, takes_every_frame_that_has_arrived_however_many_reads_that_needs) {
    for (std::size_t kilobytes = 64; kilobytes <= 1024; kilobytes += 16) {
        BareHub hub;
        FakeUser user;
        Gate go;
        OpensAtEnd const opens{go};
        user.holdFirst = &go;
        Link link{user};
        link.start("test", {hub.url()}, options());
        hub.acceptAndWelcome();
        auto const frame = makeFrame(protocol::FrameType::deliver, Bytes(1024 - protocol::kFrameHeaderBytes));
        hub.send(frame);
        ASSERT_TRUE(user.inFrame.wait());
        // The link's thread is busy while all the rest arrives, and then nothing follows.
        Bytes rest;
        for (std::size_t i = 0; i < kilobytes; ++i) append(rest, frame);
        std::thread sender{[&] { hub.send(rest); }};
        auto const sent = eventually([&] { return hub.socket.available() == 0; });  // nothing comes back
        go.open();
        sender.join();
        EXPECT_TRUE(sent);
        auto const wanted = static_cast<int>(kilobytes) + 1;
        ASSERT_TRUE(eventually([&] { return user.frames == wanted; }, 5s)) << user.frames << " of " << wanted << " frames";
    }
}

TEST(Link, a_name_resolution_that_hangs_delays_nothing) {
    Gate resolves;
    OpensAtEnd const opens{resolves};
    struct State {
        Gate asked;
        Gate ended;
    };
    auto const state = std::make_shared<State>();
    FakeUser user;
    {
        Watchdog const watchdog{"closing a link whose name resolution hangs"};
        Link link{user};
        link.resolveName = [&resolves, state](std::string const&) {
            state->asked.open();
            resolves.wait(1h);
            state->ended.open();
            return std::vector{asio::ip::make_address("127.0.0.1")};
        };
        link.start("test", {{"slow.example", 1}}, options());
        ASSERT_TRUE(state->asked.wait());
        link.close();
    }
    resolves.open();
    EXPECT_TRUE(state->ended.wait()) << "the resolver's thread ends by itself";
}

TEST(Link, an_attempt_whose_name_resolution_hangs_ends_at_the_limit_and_is_repeated) {
    Gate resolves;
    OpensAtEnd const opens{resolves};
    auto const attempts = std::make_shared<std::atomic<int>>(0);
    auto const running = std::make_shared<std::atomic<int>>(0);
    {
        FakeUser user;
        Link link{user};
        link.resolveName = [&resolves, attempts, running](std::string const&) {
            ++*running;
            ++*attempts;
            resolves.wait(1h);
            --*running;
            return std::vector{asio::ip::make_address("127.0.0.1")};
        };
        auto limited = options();
        limited.connectTimeout = 10ms;
        link.start("test", {{"slow.example", 1}}, limited);
        EXPECT_TRUE(eventually([&] { return *attempts >= 3; }));
        EXPECT_TRUE(user.errors.waitForOne(Error::handshakeTimeout));
    }
    resolves.open();
    EXPECT_TRUE(eventually([&] { return *running == 0; }));
}

TEST(Link, a_name_is_resolved_again_at_each_attempt_and_all_its_addresses_are_tried) {
    BareHub hub;
    std::atomic<int> asked{0};
    FakeUser user;
    Link link{user};
    link.resolveName = [&](std::string const& host) -> boost::system::result<std::vector<asio::ip::address>> {
        EXPECT_EQ(host, "moving.example");
        if (++asked == 1) return boost::system::error_code{asio::error::host_not_found};
        // Nobody listens on the first: 127.0.0.2 is another loopback address.
        return std::vector{asio::ip::make_address("127.0.0.2"), asio::ip::make_address("127.0.0.1")};
    };
    link.start("test", {{"moving.example", hub.url().port}}, options());
    hub.acceptAndWelcome();
    EXPECT_TRUE(user.up.wait());
    EXPECT_EQ(asked, 2);
    ASSERT_TRUE(user.states.waitFor(4));
    EXPECT_THAT(user.states.all(), testing::ElementsAre(State::connecting, State::disconnected, State::connecting, State::ready));
}

TEST(Link, what_does_not_answer_like_a_hub_is_left_at_once) {
    for (auto const& answer : {toBytes("HTTP/1.1 400 Bad Request\r\n\r\n"), encoded(protocol::Pong{}), Bytes(64, std::byte{0xFF})}) {
        BareHub hub;
        FakeUser user;
        Link link{user};
        link.start("test", {hub.url()}, options());
        hub.acceptor.accept(hub.socket);
        hub.send(answer);
        EXPECT_TRUE(user.errors.waitForOne(Error::linkLost));
        EXPECT_FALSE(user.up.isOpen());
    }
}

TEST(Link, close_may_be_called_by_two_threads) {
    for (int i = 0; i < 200; ++i) {
        Watchdog const watchdog{"two threads closing a link"};
        BareHub hub;
        FakeUser user;
        Link link{user};
        link.start("test", {hub.url()}, options());
        if (i % 2 == 0) hub.acceptAndWelcome();
        std::thread other{[&] { link.close(); }};
        link.close();
        other.join();
    }
}

}  // namespace
}  // namespace gazellemq::client
