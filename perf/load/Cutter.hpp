#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace gazellemq::perf {

/// Cuts the stream of the relay into messages; the beginning of a message waits in front for the rest. Pure.
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
    static constexpr std::size_t kReadBytes = 128 * 1024;
    static constexpr std::size_t kPrefix = sizeof(std::uint32_t);

    std::vector<char> bytes_;
    std::size_t used_ = 0;
};

}  // namespace gazellemq::perf
