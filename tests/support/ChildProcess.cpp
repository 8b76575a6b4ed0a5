#include "ChildProcess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace gazellemq::test {
namespace {

struct Pipe {
    int readEnd;
    int writeEnd;
};

Pipe makePipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::string{"no pipe: "} + std::strerror(errno));
    return {ends[0], ends[1]};
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environmentWith(std::vector<std::string> const& more) {
    std::vector<std::string> all;
    for (auto** at = environ; *at; ++at) all.emplace_back(*at);
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// In the child between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* words, char* const* environment, char const* folder, std::array<int, 3> streams) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (*folder && ::chdir(folder) != 0) ::_exit(126);
    for (int i = 0; i < 3; ++i) {
        auto const fd = streams[static_cast<std::size_t>(i)];
        if (fd < 0) ::close(i);
        else ::dup2(fd, i);
    }
    ::execve(words[0], words, environment);
    ::_exit(127);
}

}  // namespace

ChildProcess::ChildProcess(Setup const& setup) {
    auto words = setup.words;
    auto environment = environmentWith(setup.environment);
    auto const wordPointers = pointersTo(words);
    auto const environmentPointers = pointersTo(environment);
    auto const in = makePipe();
    auto const out = makePipe();
    auto broken = makePipe();
    ::close(broken.readEnd);
    errors_ = ::memfd_create("stderr", MFD_CLOEXEC);
    auto const choose = [&](Stream stream, int captured) {
        return stream == Stream::captured ? captured : stream == Stream::closed ? -1 : broken.writeEnd;
    };
    std::array<int, 3> const streams{in.readEnd, choose(setup.out, out.writeEnd), choose(setup.err, errors_)};
    pid_ = ::fork();
    if (pid_ == 0) become(wordPointers.data(), environmentPointers.data(), setup.folder.c_str(), streams);
    auto const error = errno;
    ::close(in.readEnd);
    ::close(out.writeEnd);
    ::close(broken.writeEnd);
    input_ = in.writeEnd;
    output_ = out.readEnd;
    if (pid_ < 0) throw std::runtime_error("cannot start " + words.front() + ": " + std::strerror(error));
}

ChildProcess::~ChildProcess() {
    if (running()) {
        signal(SIGKILL);
        waitForEnd();
    }
    closeInput();
    ::close(output_);
    ::close(errors_);
}

void ChildProcess::signal(int number) const {
    if (ended_.empty()) ::kill(pid_, number);
}

void ChildProcess::freeze() const {
    signal(SIGSTOP);
    siginfo_t stopped;
    while (::waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED) != 0 && errno == EINTR) continue;
}

void ChildProcess::closeInput() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
}

bool ChildProcess::readSome() {
    pollfd wait{output_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(kPatience.count())) != 1) return false;
    std::array<char, 4096> room;
    auto const n = ::read(output_, room.data(), room.size());
    if (n <= 0) return false;
    unread_.append(room.data(), static_cast<std::size_t>(n));
    return true;
}

std::optional<std::string> ChildProcess::nextLine() {
    auto end = unread_.find('\n');
    for (; end == std::string::npos; end = unread_.find('\n')) {
        if (!readSome()) return std::nullopt;
    }
    auto line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return line;
}

std::string ChildProcess::restOfOutput() {
    while (readSome()) continue;
    return std::exchange(unread_, {});
}

std::string ChildProcess::errors() const {
    std::string text;
    std::array<char, 4096> room;
    for (ssize_t n = 0; (n = ::pread(errors_, room.data(), room.size(), static_cast<off_t>(text.size()))) > 0;) {
        text.append(room.data(), static_cast<std::size_t>(n));
    }
    return text;
}

std::string ChildProcess::waitForEnd(std::chrono::milliseconds limit) {
    if (!ended_.empty()) return ended_;
    auto const process = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    pollfd end{process, POLLIN, 0};
    auto const hasEnded = ::poll(&end, 1, static_cast<int>(limit.count())) == 1;
    ::close(process);
    if (!hasEnded) return "running";
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    ended_ = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit " + std::to_string(WEXITSTATUS(status));
    return ended_;
}

}  // namespace gazellemq::test
