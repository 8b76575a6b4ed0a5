#include "ParentLink.hpp"

#include <array>
#include <cerrno>

#include <poll.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "Failure.hpp"

namespace gazellemq::perf {

void ParentLink::send(std::string_view event) const { send(event, nlohmann::json::object()); }

void ParentLink::send(std::string_view event, nlohmann::json fields) const {
    fields["event"] = event;
    auto const line = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) throw Failure{"the parent process is gone"};
}

bool ParentLink::waitFor(std::string_view command, std::chrono::milliseconds limit) {
    using Clock = std::chrono::steady_clock;
    auto const deadline = Clock::now() + limit;
    for (;;) {
        for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
            auto const line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            if (line == command) return true;
        }
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) return false;
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (poll(&input, 1, static_cast<int>(left.count())) <= 0) continue;
        std::array<char, 256> buffer;
        auto const count = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count == 0 || (count < 0 && errno != EINTR)) throw Failure{"the parent process is gone"};
        if (count > 0) unread_.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

void ParentLink::waitFor(std::string_view command) {
    while (!waitFor(command, std::chrono::hours{1})) {
    }
}

void ParentLink::waitForEnd() {
    std::array<char, 256> buffer;
    while (read(STDIN_FILENO, buffer.data(), buffer.size()) > 0) {
    }
}

}  // namespace gazellemq::perf
