#include "Daemon.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace gazellemq::hub {
namespace {

[[noreturn]] void waitForChild(pid_t child, int fromChild) {
    char byte = 0;
    while (::read(fromChild, &byte, 1) < 0 && errno == EINTR) continue;
    if (byte != 0) ::_exit(0);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace

Daemon::Daemon() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "--daemon");
    auto const child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "--daemon");
    if (child > 0) {
        ::close(ends[1]);
        waitForChild(child, ends[0]);
    }
    ::close(ends[0]);
    toParent_ = ends[1];
    ::setsid();
}

Daemon::~Daemon() {
    if (toParent_ >= 0) ::close(toParent_);
}

void Daemon::ready() {
    if (::chdir("/") != 0) return;
    auto const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) ::dup2(nothing, fd);
    ::close(nothing);
    char const byte = 1;
    [[maybe_unused]] auto const written = ::write(toParent_, &byte, 1);
    ::close(std::exchange(toParent_, -1));
}

}  // namespace gazellemq::hub
