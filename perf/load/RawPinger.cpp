#include "Cutter.hpp"
#include "RawBatch.hpp"
#include "Role.hpp"
#include "Rounds.hpp"

namespace gazellemq::perf {

/// Writes a ping to one relay and reads from the other until the pong is there.
void runRawPinger(RoleSpec const& spec, ParentLink& parent) {
    auto const pongs = RawSocket::connect(spec.relayBack, spec.timeout());
    auto const pings = RawSocket::connect(spec.relay, spec.timeout());
    Cutter cutter{spec.workload.size};
    RawBatch batch{pings, spec.workload.size};
    Rounds rounds{spec.workload, parent};
    parent.send("ready");
    parent.waitFor("go");

    rounds.checked().begin();
    bool open = true;
    while (open && !rounds.atEnd()) {
        batch.add(rounds.next());
        batch.send();
        for (bool answered = false; open && !answered;) {
            auto const count = pongs.readSome(cutter.space());
            open = count > 0;
            cutter.cut(count, [&](std::string_view pong) {
                rounds.accept(pong);
                answered = true;
            });
        }
    }
    pings.finishWriting();
    rounds.checked().giveUp();
    parent.waitFor("finish");
    rounds.sendResult();
}

}  // namespace gazellemq::perf
