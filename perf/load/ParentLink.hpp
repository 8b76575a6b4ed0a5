#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace gazellemq::perf {

/// A child's side of the talk with the parent (Crew is the other): events, one JSON object a line, to stdout;
/// commands, one word a line, from stdin.
class ParentLink {
  public:
    /// Any thread: a line is one write(), which a pipe keeps together.
    void send(std::string_view event) const;
    void send(std::string_view event, nlohmann::json fields) const;

    /// Waits for `command` and passes over others. False after `limit`. Main thread. Throws Failure if the
    /// parent is gone.
    bool waitFor(std::string_view command, std::chrono::milliseconds limit);
    void waitFor(std::string_view command);
    /// Waits until the parent ends the talk.
    void waitForEnd();

  private:
    std::string unread_;
};

}  // namespace gazellemq::perf
