#include "ChildProcess.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Failure.hpp"

namespace gazellemq::perf {
namespace {

struct Pipe {
    Descriptor readEnd;
    Descriptor writeEnd;

    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw Failure{"no pipe: " + std::string{std::strerror(errno)}};
        readEnd = Descriptor{ends[0]};
        writeEnd = Descriptor{ends[1]};
    }
};

/// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char const* program, char* const* arguments, int input, int output, int error,
                         pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    signal(SIGPIPE, SIG_DFL);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (error >= 0) dup2(error, STDERR_FILENO);
    execv(program, arguments);
    _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(std::string title, std::filesystem::path const& program,
                           std::vector<std::string> const& arguments, int errorFd)
    : title_(std::move(title)) {
    if (access(program.c_str(), X_OK) != 0) throw Failure{"there is no program " + program.string()};
    auto words = arguments;
    words.insert(words.begin(), program.string());
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    Pipe toChild;
    Pipe fromChild;
    auto const parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw Failure{"cannot start " + title_ + ": " + std::strerror(errno)};
    if (pid_ == 0) {
        become(program.c_str(), pointers.data(), toChild.readEnd.get(), fromChild.writeEnd.get(), errorFd,
               parent);
    }
    input_ = std::move(toChild.writeEnd);
    output_ = std::move(fromChild.readEnd);
}

ChildProcess::~ChildProcess() {
    if (ended_) return;
    kill(pid_, SIGKILL);
    reap();
}

void ChildProcess::send(std::string_view line) {
    auto const text = std::string{line} + "\n";
    // A child that is gone is noticed, with its reason, by whoever reads from it.
    [[maybe_unused]] auto const written = write(input_.get(), text.data(), text.size());
}

bool ChildProcess::read() {
    std::array<char, 4096> buffer;
    ssize_t count = 0;
    do {
        count = ::read(output_.get(), buffer.data(), buffer.size());
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

std::optional<std::string> ChildProcess::nextLine() {
    auto const end = unread_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    auto line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return line;
}

void ChildProcess::terminate() {
    if (!ended_) kill(pid_, SIGTERM);
}

std::optional<std::string> ChildProcess::waitForEnd(std::chrono::milliseconds limit) {
    if (!ended_) {
        Descriptor const process{static_cast<int>(syscall(SYS_pidfd_open, pid_, 0))};
        pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
        if (poll(&end, 1, static_cast<int>(limit.count())) != 1) return std::nullopt;
        reap();
    }
    return WIFSIGNALED(status_) ? "signal " + std::to_string(WTERMSIG(status_))
                                : "exit code " + std::to_string(WEXITSTATUS(status_));
}

void ChildProcess::reap() {
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
}

}  // namespace gazellemq::perf
