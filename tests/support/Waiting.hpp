#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// How tests wait: for an event, with a limit that only a broken program reaches.
namespace gazellemq::test {

using namespace std::chrono_literals;

inline constexpr std::chrono::milliseconds kPatience = 30s;

/// Waits for a state that tells nobody about itself (a counter in stats()).
template <typename Predicate>
bool eventually(Predicate&& predicate, std::chrono::milliseconds limit = kPatience) {
    auto const deadline = std::chrono::steady_clock::now() + limit;
    while (!predicate()) {
        if (std::chrono::steady_clock::now() >= deadline) return predicate();
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// Something that happens once: open() lets every wait() pass, now and later.
class Gate {
  public:
    void open() {
        std::lock_guard const lock{mutex_};
        open_ = true;
        opened_.notify_all();
    }
    /// False if it is still closed at the limit.
    bool wait(std::chrono::milliseconds limit = kPatience) const {
        std::unique_lock lock{mutex_};
        return opened_.wait_for(lock, limit, [this] { return open_; });
    }
    bool isOpen() const { return wait(0ms); }

  private:
    mutable std::mutex mutex_;
    mutable std::condition_variable opened_;
    bool open_ = false;
};

/// Opens a Gate at the end of its scope, so that a failed ASSERT leaves no callback waiting.
class OpensAtEnd {
  public:
    explicit OpensAtEnd(Gate& gate) : gate_(gate) {}
    ~OpensAtEnd() { gate_.open(); }
    OpensAtEnd(OpensAtEnd const&) = delete;
    OpensAtEnd& operator=(OpensAtEnd const&) = delete;

  private:
    Gate& gate_;
};

/// What callbacks collect and the test waits for.
template <typename T>
class Inbox {
  public:
    void add(T item) {
        std::lock_guard const lock{mutex_};
        items_.push_back(std::move(item));
        added_.notify_all();
    }
    std::size_t size() const {
        std::lock_guard const lock{mutex_};
        return items_.size();
    }
    std::vector<T> all() const {
        std::lock_guard const lock{mutex_};
        return items_;
    }
    /// Waits for at least `count`.
    bool waitFor(std::size_t count, std::chrono::milliseconds limit = kPatience) const {
        std::unique_lock lock{mutex_};
        return added_.wait_for(lock, limit, [&] { return items_.size() >= count; });
    }
    /// Waits until `predicate` is true of the items.
    template <typename Predicate>
    bool waitUntil(Predicate&& predicate, std::chrono::milliseconds limit = kPatience) const {
        std::unique_lock lock{mutex_};
        return added_.wait_for(lock, limit, [&] { return predicate(items_); });
    }
    bool waitForOne(T const& item, std::chrono::milliseconds limit = kPatience) const {
        return waitUntil(
            [&](auto const& items) {
                for (auto const& each : items) {
                    if (each == item) return true;
                }
                return false;
            },
            limit);
    }

  private:
    mutable std::mutex mutex_;
    mutable std::condition_variable added_;
    std::vector<T> items_;
};

/// Ends the whole process with a message when its scope takes too long: what hangs in a destructor cannot be told otherwise.
class Watchdog {
  public:
    explicit Watchdog(std::string what, std::chrono::milliseconds limit = 20s)
        : thread_([this, what = std::move(what), limit] {
              if (done_.wait(limit)) return;
              std::fprintf(stderr, "watchdog: '%s' hangs\n", what.c_str());
              std::abort();
          }) {}
    ~Watchdog() {
        done_.open();
        thread_.join();
    }
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;

  private:
    Gate done_;
    std::thread thread_;
};

}  // namespace gazellemq::test
