#pragma once
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "Waiting.hpp"

namespace gazellemq::test {

/// How a child process ended, and what it wrote to its standard output.
struct ChildResult {
    bool timedOut = false;
    int exitCode = -1;  ///< -1: it did not exit by itself
    int signal = 0;
    std::string output;
};

/// Runs a program to its end. One that takes longer than `limit` is killed.
inline ChildResult runChild(std::string const& path, std::vector<std::string> arguments, std::chrono::milliseconds limit = kPatience) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    arguments.insert(arguments.begin(), path);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    auto const failed = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    if (failed != 0) throw std::runtime_error("cannot run " + path);

    ChildResult result;
    auto const deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd readable{pipe[0], POLLIN, 0};
        if (left <= 0ms || ::poll(&readable, 1, static_cast<int>(left.count())) == 0) {
            result.timedOut = true;
            ::kill(pid, SIGKILL);
            break;
        }
        std::array<char, 4096> room{};
        auto const n = ::read(pipe[0], room.data(), room.size());
        if (n <= 0) break;  // the child has ended, or closed its output
        result.output.append(room.data(), static_cast<std::size_t>(n));
    }
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (WIFEXITED(status)) result.exitCode = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

}  // namespace gazellemq::test
