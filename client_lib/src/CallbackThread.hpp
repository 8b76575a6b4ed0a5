#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace gazellemq::client {

/// Runs a client's callbacks, one after the other, in the order of post(). Any thread may call any function.
class CallbackThread {
  public:
    using Work = std::function<void()>;

    CallbackThread();
    /// stop().
    ~CallbackThread();
    CallbackThread(CallbackThread const&) = delete;
    CallbackThread& operator=(CallbackThread const&) = delete;

    /// Dropped after stop().
    void post(Work work);
    /// Forgets what waits, and waits for the work that runs, unless that is the caller: then the thread ends by itself
    /// once the caller's callback has returned.
    void stop();
    /// Waits until everything posted so far has run. False at `deadline`.
    bool waitUntilIdle(std::chrono::steady_clock::time_point deadline);
    bool isCurrent() const { return std::this_thread::get_id() == state_->id; }
    /// Nothing runs and nothing waits.
    bool idle() const;

  private:
    /// Outlives the CallbackThread when it is destroyed by its own work.
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<Work> queue;
        std::thread::id id;
        bool running = false;
        bool stopped = false;
    };
    static void loop(std::shared_ptr<State> const& state);

    std::shared_ptr<State> state_ = std::make_shared<State>();
    std::thread thread_;
};

}  // namespace gazellemq::client
