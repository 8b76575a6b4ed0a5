#include <algorithm>
#include <functional>
#include <vector>

#include "RawSocket.hpp"
#include "Reception.hpp"
#include "Role.hpp"

namespace gazellemq::perf {
namespace {

constexpr std::size_t kReadBytes = 128 * 1024;

/// Cuts the stream of the relay into messages; the beginning of a message waits in front for the rest.
class Cutter {
  public:
    explicit Cutter(std::size_t messageBytes) : bytes_(std::max(kReadBytes, 2 * (kPrefix + messageBytes))) {}

    std::span<char> space() { return std::span{bytes_}.subspan(used_); }

    template <typename Callback>
    void cut(std::size_t received, Callback const& callback) {
        used_ += received;
        std::size_t at = 0;
        std::uint32_t length = 0;
        while (used_ - at >= kPrefix) {
            std::memcpy(&length, bytes_.data() + at, kPrefix);
            if (used_ - at - kPrefix < length) break;
            callback(std::string_view{bytes_.data() + at + kPrefix, length});
            at += kPrefix + length;
        }
        std::memmove(bytes_.data(), bytes_.data() + at, used_ - at);
        used_ -= at;
    }

  private:
    static constexpr std::size_t kPrefix = sizeof(std::uint32_t);

    std::vector<char> bytes_;
    std::size_t used_ = 0;
};

}  // namespace

/// Reads what the relay sends, to its end.
void runRawSubscriber(RoleSpec const& spec, ParentLink& parent) {
    auto const socket = RawSocket::connect(spec.port, spec.timeout());
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
