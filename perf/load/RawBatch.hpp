#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "RawSocket.hpp"

namespace gazellemq::perf {

/// Messages behind their length (u32), gathered and written when the next one does not fit.
class RawBatch {
  public:
    RawBatch(RawSocket const& socket, std::size_t messageBytes)
        : socket_(socket), bytes_(std::max(kBatchBytes, sizeof(std::uint32_t) + messageBytes)) {}

    void add(std::string_view message) {
        auto const length = static_cast<std::uint32_t>(message.size());
        if (bytes_.size() - used_ < sizeof length + length) send();
        std::memcpy(bytes_.data() + used_, &length, sizeof length);
        std::memcpy(bytes_.data() + used_ + sizeof length, message.data(), length);
        used_ += sizeof length + length;
    }

    void send() {
        socket_.writeAll({bytes_.data(), used_});
        used_ = 0;
    }

  private:
    static constexpr std::size_t kBatchBytes = 32 * 1024;

    RawSocket const& socket_;
    std::vector<char> bytes_;
    std::size_t used_ = 0;
};

}  // namespace gazellemq::perf
