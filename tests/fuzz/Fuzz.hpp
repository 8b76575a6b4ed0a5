#pragma once
#include <cstddef>
#include <cstdint>

#include "Bytes.hpp"

namespace gazellemq::test {

/// Ends the program in a way that libFuzzer reports.
inline void require(bool good) {
    if (!good) __builtin_trap();
}

/// What the fuzz program gives, as bytes.
inline protocol::ByteView asBytes(std::uint8_t const* data, std::size_t size) {
    return {reinterpret_cast<std::byte const*>(data), size};
}

}  // namespace gazellemq::test

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
