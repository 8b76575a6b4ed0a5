#include "Checksum.hpp"

#include <isa-l/crc.h>

namespace gazellemq::protocol {

std::uint32_t crc32c(ByteView bytes) noexcept {
    // ISA-L neither inverts the initial value nor the result, and takes its input as non-const.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    return ~crc32_iscsi(data, static_cast<int>(bytes.size()), 0xFFFFFFFFU);
}

}  // namespace gazellemq::protocol
