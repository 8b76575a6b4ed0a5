#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gazellemq::perf {

/// Makes and checks the payloads of all runs, hub and relay alike. Cheap on purpose: a copy to make, a
/// compare to check.
///
///     0        8          16                            size
///     | sequence | publisher | a window of a fixed pattern |      integers in the machine's byte order
///
/// The window begins at a place that depends on sequence and publisher, so a body under the wrong header is
/// found. Pure; after construction any number of threads may use it.
class MessageContent {
  public:
    static constexpr std::size_t kMinBytes = 16;

    struct Header {
        std::uint64_t sequence = 0;
        std::uint64_t publisher = 0;
    };
    static_assert(sizeof(Header) == kMinBytes);

    /// `size` is at least kMinBytes.
    explicit MessageContent(std::size_t size);

    std::size_t size() const { return size_; }

    /// Writes size() bytes to `out`.
    void write(Header header, char* out) const {
        std::memcpy(out, &header, sizeof header);
        std::memcpy(out + sizeof header, body(header), bodyBytes_);
    }

    /// `payload` has size() bytes.
    static Header headerOf(std::string_view payload) {
        Header header;
        std::memcpy(&header, payload.data(), sizeof header);
        return header;
    }

    /// `payload` has size() bytes and `header` is its header.
    bool bodyMatches(Header header, std::string_view payload) const {
        return std::memcmp(payload.data() + sizeof header, body(header), bodyBytes_) == 0;
    }

  private:
    static constexpr std::size_t kShifts = 256;

    char const* body(Header header) const {
        return pattern_.data() + ((header.sequence + 31 * header.publisher) % kShifts);
    }

    std::size_t size_;
    std::size_t bodyBytes_;
    std::string pattern_;
};

}  // namespace gazellemq::perf
