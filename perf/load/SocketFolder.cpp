#include "SocketFolder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "Failure.hpp"

namespace gazellemq::perf {

namespace fs = std::filesystem;

SocketFolder::SocketFolder(Transport transport) {
    if (transport == Transport::tcp) return;
    auto pattern = (fs::temp_directory_path() / "gazelle-perf-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw Failure{"cannot make a folder for sockets, " + pattern + ": " + std::strerror(errno) +
                      "; TMPDIR names another place"};
    }
    path_ = pattern;
}

SocketFolder::~SocketFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string SocketFolder::address(std::string const& name) const {
    return path_.empty() ? "127.0.0.1:0" : (path_ / (name + ".sock")).string();
}

std::string SocketFolder::url(std::string const& name) const {
    return (path_.empty() ? "tcp://" : "unix://") + address(name);
}

}  // namespace gazellemq::perf
