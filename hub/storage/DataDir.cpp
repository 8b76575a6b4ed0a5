#include "DataDir.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gazellemq::hub {
namespace {

[[noreturn]] void fail(std::filesystem::path const& path, std::string const& why) {
    throw std::runtime_error("--data-dir " + path.string() + ": " + why);
}

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

DataDir::DataDir(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) fail(path_, error.message() + ": name a directory that can be written, or 'none' to keep nothing");
    auto const file = path_ / "lock";
    lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0) fail(path_, reason(errno) + ": name a directory that can be written, or 'none' to keep nothing");
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        auto const inUse = errno == EWOULDBLOCK;
        auto const why = reason(errno);
        std::array<char, 16> pid{};
        auto const n = ::read(lock_, pid.data(), pid.size() - 1);
        ::close(lock_);
        if (!inUse) fail(path_, why);
        fail(path_, "in use by another gazelle-hub" + (n > 0 ? " (process " + std::string{pid.data()} + ")" : std::string{}) +
                        ": stop it, or give each hub a directory of its own");
    }
    auto const pid = std::to_string(::getpid());
    if (::ftruncate(lock_, 0) != 0 || ::write(lock_, pid.data(), pid.size()) < 0) {
        auto const why = reason(errno);
        ::close(lock_);
        fail(path_, why);
    }
}

DataDir::~DataDir() { ::close(lock_); }

}  // namespace gazellemq::hub
