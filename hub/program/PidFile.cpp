#include "PidFile.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gazellemq::hub {
namespace {

constexpr mode_t kMode = 0644;

std::string contentOf(int descriptor) {
    char text[32] = {};
    auto const bytes = ::pread(descriptor, text, sizeof text - 1, 0);
    std::string content{text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
    while (!content.empty() && content.back() == '\n') content.pop_back();
    return content;
}

}  // namespace

PidFile::PidFile(std::filesystem::path path) : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode)) {
    auto const fail = [&](std::string const& why) {
        if (descriptor_ >= 0) ::close(descriptor_);
        throw std::runtime_error("--pid-file " + path_.string() + ": " + why);
    };
    if (descriptor_ < 0) fail(std::generic_category().message(errno) + ": check that its directory can be written");
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        fail("process " + contentOf(descriptor_) + " holds it: stop that hub, or give another file");
    }
    auto const number = std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, number.data(), number.size(), 0) != static_cast<ssize_t>(number.size())) {
        fail(std::generic_category().message(errno));
    }
}

PidFile::~PidFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    ::close(descriptor_);
}

}  // namespace gazellemq::hub
