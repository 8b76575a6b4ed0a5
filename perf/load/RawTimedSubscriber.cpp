#include <functional>

#include "Cutter.hpp"
#include "RawSocket.hpp"
#include "Role.hpp"
#include "TimedReception.hpp"

namespace gazellemq::perf {

/// Reads what the relay sends, to its end.
void runRawTimedSubscriber(RoleSpec const& spec, ParentLink& parent) {
    auto const socket = RawSocket::connect(spec.relay, spec.timeout());
    Cutter cutter{spec.workload.size};
    TimedReception reception{spec.workload, parent};
    std::function<void(std::string_view)> const callback = [&](std::string_view message) {
        reception.accept(message);
    };
    parent.send("ready");
    parent.waitFor("go");

    reception.checked().begin();
    while (auto const count = socket.readSome(cutter.space())) cutter.cut(count, callback);
    reception.checked().giveUp();
    parent.waitFor("finish");
    reception.sendResult();
}

}  // namespace gazellemq::perf
