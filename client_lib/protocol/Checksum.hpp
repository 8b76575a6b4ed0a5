#pragma once
#include <cstdint>

#include "Bytes.hpp"

namespace gazellemq::protocol {

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): "123456789" gives 0xE3069283.
std::uint32_t crc32c(ByteView bytes) noexcept;

}  // namespace gazellemq::protocol
