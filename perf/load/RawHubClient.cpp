#include "RawHubClient.hpp"

#include <cerrno>
#include <limits>

#include <sys/socket.h>

#include "Failure.hpp"

namespace gazellemq::perf {
namespace {

/// The address of a URL as RawSocket takes it.
std::string addressIn(std::string const& url) {
    auto const scheme = url.find("://");
    return scheme == std::string::npos ? url : url.substr(scheme + 3);
}

std::string_view textOf(std::vector<std::byte> const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace

RawHubClient::RawHubClient(std::string const& url, std::string_view name, std::chrono::milliseconds timeout,
                           Pool const& pool)
    : socket_(RawSocket::connect(addressIn(url), timeout)),
      reader_(pool, std::numeric_limits<std::uint32_t>::max()) {
    std::vector<std::byte> greeting;
    for (auto const byte : protocol::kMagic) greeting.push_back(std::byte{byte});
    protocol::Hello hello;
    hello.clientName = name;
    protocol::encode(hello, greeting);
    write(greeting);
}

void RawHubClient::waitFor(protocol::FrameType type) {
    auto came = false;
    while (!came) {
        auto const result = read([&](protocol::Frame const& frame) { came = came || frame.type == type; });
        if (result == Read::end) throw Failure{"the hub ended a connection before it answered"};
        if (result == Read::nothing) throw Failure{"the hub does not answer"};
    }
}

RawHubClient::Read RawHubClient::receive() {
    auto const room = reader_.prepare();
    for (;;) {
        auto const count = recv(descriptor(), room.data(), room.size(), 0);
        if (count > 0) {
            reader_.commit(static_cast<std::size_t>(count));
            return Read::some;
        }
        if (count == 0) return Read::end;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return Read::nothing;
        if (errno != EINTR) return Read::end;
    }
}

void RawHubClient::write(std::vector<std::byte> const& bytes) const { socket_.writeAll(textOf(bytes)); }

void RawHubClient::tryWrite(std::vector<std::byte> const& bytes) const {
    [[maybe_unused]] auto const sent = ::send(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace gazellemq::perf
