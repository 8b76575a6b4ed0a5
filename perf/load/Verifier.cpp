#include "Verifier.hpp"

namespace gazellemq::perf {

Verifier::Verifier(Workload const& workload) : workload_(workload), content_(workload.size) {
    for (std::uint64_t publisher = 0; publisher < workload.publishers; ++publisher) {
        for (std::uint64_t topic = 0; topic < workload.topics; ++topic) {
            streams_.push_back({.next = topic, .end = workload.messagesOf(publisher), .gaps = {}});
        }
    }
}

void Verifier::acceptUnexpected(Stream& stream, std::uint64_t topic, std::uint64_t sequence) {
    auto const step = workload_.topics;
    if (sequence >= stream.end || sequence % step != topic) {
        ++found_.corrupt;
    } else if (sequence >= stream.next) {
        stream.gaps.add(stream.next / step, sequence / step);
        stream.next = sequence + step;
        ++distinct_;
    } else if (stream.gaps.take(sequence / step)) {
        ++found_.outOfOrder;
        ++distinct_;
    } else {
        ++found_.duplicated;
    }
}

Verdict Verifier::verdict() const {
    auto result = found_;
    result.lost = workload_.messages - distinct_;
    return result;
}

}  // namespace gazellemq::perf
