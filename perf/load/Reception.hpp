#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "ParentLink.hpp"
#include "ProgressReporter.hpp"
#include "Verifier.hpp"

namespace gazellemq::perf {

/// What every subscriber does with its messages, SDK and raw alike: verify each, note when the last was
/// handled, tell the parent. accept() and endOfBatch() belong to one thread, the callbacks'; the rest to the
/// main thread.
class Reception {
  public:
    Reception(Workload const& workload, ParentLink const& parent)
        : parent_(parent), verifier_(workload), progress_(parent) {}

    /// Before the first message.
    void begin();

    void accept(std::uint64_t topic, std::string_view payload) { verifier_.accept(topic, payload); }
    /// After each batch; when all messages are there, "complete" is sent.
    void endOfBatch() {
        progress_.set(verifier_.distinct());
        if (verifier_.complete() && !ended_.load(std::memory_order_relaxed)) [[unlikely]]
            end();
    }

    std::uint64_t received() const { return progress_.get(); }
    bool ended() const { return ended_; }
    /// Nothing more is expected: "complete" is sent, unless it was before.
    void giveUp() { end(); }

    /// Waits until the parent says "finish". Call when nothing more is published: if nothing has come for 5
    /// s, what is missing is lost.
    void waitForFinish(ParentLink& parent);
    /// Call when no callback runs any more. `fields` go with it.
    void sendResult() const;
    void sendResult(nlohmann::json fields) const;

  private:
    void end();

    ParentLink const& parent_;
    Verifier verifier_;
    ProgressReporter progress_;
    double cpuAtStart_ = 0;
    double cpuSeconds_ = 0;
    std::int64_t endNs_ = 0;
    std::atomic<bool> ended_ = false;
};

}  // namespace gazellemq::perf
