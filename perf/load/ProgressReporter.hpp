#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

#include "ParentLink.hpp"

namespace gazellemq::perf {

/// Tells the parent once a second how many messages were handled, as long as the number changes. The thread
/// that handles them stores the number and does nothing else for it.
class ProgressReporter {
  public:
    explicit ProgressReporter(ParentLink const& parent)
        : thread_([this, &parent](std::stop_token stop) { run(stop, parent); }) {}

    void set(std::uint64_t messages) { messages_.store(messages, std::memory_order_relaxed); }
    std::uint64_t get() const { return messages_.load(std::memory_order_relaxed); }

  private:
    void run(std::stop_token const& stop, ParentLink const& parent) {
        std::mutex mutex;
        std::condition_variable_any wakeUp;
        std::unique_lock lock{mutex};
        std::uint64_t told = 0;
        while (!wakeUp.wait_for(lock, stop, std::chrono::seconds{1}, [&] { return stop.stop_requested(); })) {
            if (auto const now = get(); now != told) parent.send("progress", {{"messages", told = now}});
        }
    }

    std::atomic<std::uint64_t> messages_{0};
    std::jthread thread_;
};

}  // namespace gazellemq::perf
