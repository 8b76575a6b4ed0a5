#pragma once
#include <chrono>
#include <deque>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "ChildProcess.hpp"
#include "Role.hpp"

namespace gazellemq::perf {

/// The role processes of one run: starts them, waits for their events, and ends them with itself. Events are
/// those of ParentLink: "progress" says that work goes on, "error" carries a "reason", all others are awaited
/// by name. Main thread.
class Crew {
  public:
    struct Member {
        Member(std::string title, std::filesystem::path const& program,
               std::vector<std::string> const& arguments)
            : process(std::move(title), program, arguments) {}

        ChildProcess process;
        std::deque<nlohmann::json> events;
        std::uint64_t messages = 0;  ///< as told by the last "progress"
    };
    using Members = std::vector<Member*>;

    /// No sign of progress for `patience` ends the run.
    explicit Crew(std::chrono::milliseconds patience) : patience_(patience) {}

    Member& start(std::string title, std::string_view role, RoleSpec const& spec);
    /// Kills it (SIGKILL) and forgets it.
    void dismiss(Member& member);
    /// The end of `process`, which is somebody else's, ends the run too.
    void watch(ChildProcess& process) { watched_.push_back(&process); }

    void tell(Members const& members, std::string_view command);
    /// One `event` of each of `members`, in their order. Throws Failure when any process of the crew fails or
    /// ends.
    std::vector<nlohmann::json> await(Members const& members, std::string_view event);
    /// Takes note of events for `time`. Throws Failure as await() does.
    void attend(std::chrono::milliseconds time);

    /// What the subscribers have told of.
    std::uint64_t messagesSoFar() const;

  private:
    using Clock = std::chrono::steady_clock;

    /// Waits for output of some process and reads it. False when `limit` is over.
    bool readSome(Clock::time_point const& limit);
    void handleLines(Member& member);

    std::chrono::milliseconds patience_;
    Clock::time_point deadline_;
    std::list<Member> members_;
    std::vector<ChildProcess*> watched_;
};

}  // namespace gazellemq::perf
