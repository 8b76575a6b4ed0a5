#include "Cutter.hpp"
#include "RawBatch.hpp"
#include "Reception.hpp"
#include "Role.hpp"

namespace gazellemq::perf {

/// Reads from one relay, to its end, and writes what it gets to the other.
void runRawPonger(RoleSpec const& spec, ParentLink& parent) {
    auto const pings = RawSocket::connect(spec.relay, spec.timeout());
    parent.send("connected");
    // A relay takes its subscriber first, which the pinger is.
    parent.waitFor("go");
    auto const pongs = RawSocket::connect(spec.relayBack, spec.timeout());
    Cutter cutter{spec.workload.size};
    RawBatch batch{pongs, spec.workload.size};
    Reception reception{spec.workload, parent};
    parent.send("ready");

    reception.begin();
    while (auto const count = pings.readSome(cutter.space())) {
        cutter.cut(count, [&](std::string_view ping) {
            batch.add(ping);
            batch.send();
            reception.accept(0, ping);
        });
        reception.endOfBatch();
    }
    reception.giveUp();
    parent.waitFor("finish");
    reception.sendResult();
}

}  // namespace gazellemq::perf
