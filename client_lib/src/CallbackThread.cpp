#include "CallbackThread.hpp"

#include <chrono>
#include <utility>

#include "KeepLoaded.hpp"

namespace gazellemq::client {

CallbackThread::CallbackThread() {
    std::lock_guard const lock{state_->mutex};
    thread_ = std::thread([state = state_] { loop(state); });
    state_->id = thread_.get_id();
}

CallbackThread::~CallbackThread() { stop(); }

void CallbackThread::loop(std::shared_ptr<State> const& state) {
    std::unique_lock lock{state->mutex};
    for (;;) {
        state->changed.wait(lock, [&] { return state->stopped || !state->queue.empty(); });
        if (state->stopped) return;
        auto work = std::move(state->queue.front());
        state->queue.pop_front();
        state->running = true;
        lock.unlock();
        work();
        work = nullptr;  // may free the client, and with it stop this thread
        lock.lock();
        state->running = false;
        if (state->queue.empty()) state->changed.notify_all();
    }
}

void CallbackThread::post(Work work) {
    auto const state = state_;  // the work may destroy this CallbackThread at once
    {
        std::lock_guard const lock{state->mutex};
        if (state->stopped) return;
        state->queue.push_back(std::move(work));
        if (state->running) return;
    }
    state->changed.notify_all();
}

void CallbackThread::stop() {
    std::deque<Work> dropped;  // freed without the lock: work may own what calls back here
    std::thread ending;
    {
        std::unique_lock lock{state_->mutex};
        state_->stopped = true;
        dropped.swap(state_->queue);
        state_->changed.notify_all();
        ending.swap(thread_);
        // Somebody else, perhaps a callback, has stopped it before: wait for the callback all the same.
        if (!ending.joinable() && !isCurrent()) state_->changed.wait(lock, [&] { return !state_->running; });
    }
    if (!ending.joinable()) return;
    if (isCurrent()) {
        transport::keepLoadedUntilThreadEnds();
        ending.detach();
    } else {
        ending.join();
    }
}

bool CallbackThread::waitUntilIdle(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock{state_->mutex};
    return state_->changed.wait_until(lock, deadline, [&] { return state_->stopped || (state_->queue.empty() && !state_->running); });
}

bool CallbackThread::idle() const {
    std::lock_guard const lock{state_->mutex};
    return state_->queue.empty() && !state_->running;
}

}  // namespace gazellemq::client
