#include "Crew.hpp"

#include <algorithm>

#include <poll.h>

#include "Failure.hpp"
#include "Programs.hpp"

namespace gazellemq::perf {
namespace {

using Json = nlohmann::json;

std::optional<Json> take(Crew::Member& member, std::string_view event) {
    auto const found = std::ranges::find_if(
        member.events, [&](Json const& candidate) { return candidate.at("event") == event; });
    if (found == member.events.end()) return std::nullopt;
    auto result = std::move(*found);
    member.events.erase(found);
    return result;
}

void readOrThrow(ChildProcess& process) {
    if (process.read()) return;
    auto const end = process.waitForEnd(std::chrono::seconds{1}).value_or("closed its output");
    throw Failure{process.title() + " ended unexpectedly (" + end + ")"};
}

}  // namespace

Crew::Member& Crew::start(std::string title, std::string_view role, RoleSpec const& spec) {
    std::vector<std::string> const arguments{"role", std::string{role}, Json(spec).dump()};
    return members_.emplace_back(std::move(title), ownProgram(), arguments);
}

void Crew::dismiss(Member& member) {
    members_.remove_if([&](Member const& other) { return &other == &member; });
}

void Crew::tell(Members const& members, std::string_view command) {
    for (auto* member : members) member->process.send(command);
}

std::vector<Json> Crew::await(Members const& members, std::string_view event) {
    std::vector<Json> answers;
    deadline_ = Clock::now() + patience_;
    for (auto* member : members) {
        auto answer = take(*member, event);
        for (; !answer; answer = take(*member, event)) {
            if (readSome(deadline_)) continue;
            throw Failure{"no progress for " + std::to_string(patience_.count() / 1000) +
                          " s, waiting for '" + std::string{event} + "' of " + member->process.title() +
                          "; the subscribers told of " + std::to_string(messagesSoFar()) + " messages"};
        }
        answers.push_back(std::move(*answer));
    }
    return answers;
}

void Crew::attend(std::chrono::milliseconds time) {
    auto const end = Clock::now() + time;
    while (readSome(end)) {
    }
}

std::uint64_t Crew::messagesSoFar() const {
    std::uint64_t sum = 0;
    for (auto const& member : members_) sum += member.messages;
    return sum;
}

bool Crew::readSome(Clock::time_point const& limit) {
    std::vector<pollfd> outputs;
    for (auto const& member : members_) outputs.push_back({member.process.outputFd(), POLLIN, 0});
    for (auto const* process : watched_) outputs.push_back({process->outputFd(), POLLIN, 0});
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0 || poll(outputs.data(), outputs.size(), static_cast<int>(left)) == 0) return false;

    auto output = outputs.begin();
    for (auto& member : members_) {
        if ((output++)->revents == 0) continue;
        readOrThrow(member.process);
        handleLines(member);
    }
    for (auto* process : watched_) {
        if ((output++)->revents != 0) readOrThrow(*process);
    }
    return true;
}

void Crew::handleLines(Member& member) {
    while (auto const line = member.process.nextLine()) {
        auto event = Json::parse(*line);
        auto const name = event.at("event").get<std::string>();
        if (name == "error")
            throw Failure{member.process.title() + ": " + event.at("reason").get<std::string>()};
        deadline_ = Clock::now() + patience_;
        if (name == "progress") member.messages = event.at("messages").get<std::uint64_t>();
        else member.events.push_back(std::move(event));
    }
}

}  // namespace gazellemq::perf
