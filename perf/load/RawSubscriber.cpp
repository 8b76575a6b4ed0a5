#include <functional>

#include "Cutter.hpp"
#include "RawSocket.hpp"
#include "Reception.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
/// Reads what the relay sends, to its end.
void runRawSubscriber(RoleSpec const& spec, ParentLink& parent) {
    auto const socket = RawSocket::connect(spec.relay, spec.timeout());
    Cutter cutter{spec.workload.size};
    Reception reception{spec.workload, parent};
    std::function<void(std::string_view)> const callback = [&](std::string_view message) {
        reception.accept(0, message);
    };
    parent.send("ready");
    parent.waitFor("go");

    reception.begin();
    while (auto const count = socket.readSome(cutter.space())) {
        cutter.cut(count, callback);
        reception.endOfBatch();
    }
    reception.giveUp();
    parent.waitFor("finish");
    reception.sendResult();
}

}  // namespace gazellemq::perf
