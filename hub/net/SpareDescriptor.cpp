#include "SpareDescriptor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gazellemq::hub {

SpareDescriptor::SpareDescriptor() { open(); }
SpareDescriptor::~SpareDescriptor() { close(); }

void SpareDescriptor::open() {
    if (descriptor_ < 0) descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void SpareDescriptor::close() {
    if (auto const descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

SpareDescriptor::Away SpareDescriptor::turnAway(int listener) {
    close();
    auto const accepted = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    auto const error = errno;
    if (accepted >= 0) ::close(accepted);
    open();
    return accepted >= 0 ? Away::one : error == EAGAIN ? Away::nobodyWaits : Away::failed;
}

}  // namespace gazellemq::hub
