#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "Gaps.hpp"
#include "MessageContent.hpp"
#include "Workload.hpp"

namespace gazellemq::perf {

/// What one or more subscribers found wrong; a message is counted once for each subscriber.
struct Verdict {
    std::uint64_t lost = 0;        ///< did not arrive intact
    std::uint64_t duplicated = 0;  ///< arrived again
    std::uint64_t outOfOrder = 0;  ///< arrived after a later message of the same publisher and topic
    std::uint64_t corrupt = 0;     ///< wrong size, header or body, or on the wrong topic

    bool clean() const { return lost + duplicated + outOfOrder + corrupt == 0; }

    Verdict& operator+=(Verdict const& other) {
        lost += other.lost;
        duplicated += other.duplicated;
        outOfOrder += other.outOfOrder;
        corrupt += other.corrupt;
        return *this;
    }
};

/// Checks every message that one subscriber gets: content, and order per publisher and topic. The usual case,
/// the next message of a stream, is two compares and one memcmp. Pure; one thread at a time.
class Verifier {
  public:
    explicit Verifier(Workload const& workload);

    void accept(std::uint64_t topic, std::string_view payload) {
        if (payload.size() == content_.size()) [[likely]] {
            auto const header = MessageContent::headerOf(payload);
            if (header.publisher < workload_.publishers && content_.bodyMatches(header, payload)) [[likely]] {
                auto& stream = streams_[header.publisher * workload_.topics + topic];
                if (header.sequence == stream.next && stream.next < stream.end) [[likely]] {
                    stream.next += workload_.topics;
                    ++distinct_;
                } else {
                    acceptUnexpected(stream, topic, header.sequence);
                }
                return;
            }
        }
        ++found_.corrupt;
    }

    /// Different intact messages so far.
    std::uint64_t distinct() const { return distinct_; }
    bool complete() const { return distinct_ == workload_.messages; }

    /// What is missing now counts as lost.
    Verdict verdict() const;

  private:
    /// The messages of one publisher on one topic; sequences step by the number of topics.
    struct Stream {
        std::uint64_t next = 0;
        std::uint64_t end = 0;
        Gaps gaps;
    };

    void acceptUnexpected(Stream& stream, std::uint64_t topic, std::uint64_t sequence);

    Workload workload_;
    MessageContent content_;
    std::vector<Stream> streams_;
    std::uint64_t distinct_ = 0;
    Verdict found_;
};

}  // namespace gazellemq::perf
