#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gazellemq::protocol {

using ByteView = std::span<std::byte const>;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire is little-endian and is read in place");

/// Unaligned little-endian access to `T` at `at`.
template <typename T>
T load(std::byte const* at) noexcept {
    static_assert(std::is_integral_v<T>);
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <typename T>
void store(std::byte* at, T value) noexcept {
    static_assert(std::is_integral_v<T>);
    std::memcpy(at, &value, sizeof value);
}

inline std::string_view asText(ByteView bytes) noexcept {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

inline ByteView asBytes(std::string_view text) noexcept {
    return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

/// Appends integers and short strings (u16 length, bytes) to a byte vector. Strings over 65,535 bytes are cut.
class ByteWriter {
  public:
    explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

    template <typename T>
    ByteWriter& put(T value) {
        auto const at = out_.size();
        out_.resize(at + sizeof value);
        store(out_.data() + at, value);
        return *this;
    }

    ByteWriter& putText(std::string_view text) {
        if (text.size() > 0xFFFF) text = text.substr(0, 0xFFFF);
        put(static_cast<std::uint16_t>(text.size()));
        auto const bytes = asBytes(text);
        out_.insert(out_.end(), bytes.begin(), bytes.end());
        return *this;
    }

    /// The same with a length of four bytes.
    ByteWriter& putLongText(std::string_view text) {
        put(static_cast<std::uint32_t>(text.size()));
        auto const bytes = asBytes(text);
        out_.insert(out_.end(), bytes.begin(), bytes.end());
        return *this;
    }

  private:
    std::vector<std::byte>& out_;
};

/// Reads what ByteWriter wrote. After the first short read every getter gives 0 or "" and `ok()` is false, so a decoder reads
/// all fields and asks once. Bytes left over are legal: later versions append fields.
class ByteReader {
  public:
    explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

    template <typename T>
    T get() {
        if (!take(sizeof(T))) return T{};
        return load<T>(bytes_.data() + at_ - sizeof(T));
    }

    std::string_view getText() {
        auto const size = get<std::uint16_t>();
        if (!take(size)) return {};
        return asText(bytes_.subspan(at_ - size, size));
    }

    std::string_view getLongText() {
        auto const size = get<std::uint32_t>();
        if (!take(size)) return {};
        return asText(bytes_.subspan(at_ - size, size));
    }

    bool ok() const { return ok_; }
    /// Bytes read so far.
    std::size_t position() const { return at_; }

  private:
    bool take(std::size_t size) {
        if (!ok_ || bytes_.size() - at_ < size) return ok_ = false;
        at_ += size;
        return true;
    }

    ByteView bytes_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace gazellemq::protocol
