#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace gazellemq::hub {

/// Tells systemd, if it started this program, how it is: a datagram to the socket in $NOTIFY_SOCKET. Source: sd_notify(3), whose
/// protocol is stable and meant to be implemented without its library. Does nothing without the variable.
void notifyServiceManager(std::string_view state);

/// While it lives, tells systemd every half of $WATCHDOG_USEC that the hub answers: `ask` returns when it does. When it does not,
/// systemd restarts the hub. Does nothing without the variable.
class Watchdog {
  public:
    explicit Watchdog(std::function<void()> ask);
    ~Watchdog();
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;

  private:
    void run(std::chrono::microseconds interval);

    std::function<void()> ask_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace gazellemq::hub
