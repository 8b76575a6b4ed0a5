#include <dlfcn.h>
#include <netdb.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "SdkLibrary.hpp"

/// A program that knows nothing of GazelleMQ and loads libraries that use it. Run by LibraryTest.
///
///     library-program WAY URL LIBRARY LIBRARY

namespace {

constexpr int kMessages = 1000;
constexpr int kRounds = 3;

char const* url;

void check(bool good, char const* what) {
    if (good) return;
    std::fprintf(stderr, "library-program: not so: %s\n", what);
    std::_Exit(1);
}

/// A library while it is open.
class Opened {
  public:
    Opened(char const* path, int flags) : path_(path), handle_(::dlopen(path, RTLD_NOW | flags)) {
        check(handle_, "the library can be opened");
        auto const find = reinterpret_cast<SdkLibrary const* (*)()>(::dlsym(handle_, "sdkLibrary"));
        check(find, "it has the symbol");
        library_ = find();
    }
    ~Opened() { close(); }
    Opened(Opened const&) = delete;
    Opened& operator=(Opened const&) = delete;

    void close() {
        if (handle_) check(::dlclose(handle_) == 0, "the library can be closed");
        handle_ = nullptr;
    }
    bool isInMemory() const {
        std::ifstream maps{"/proc/self/maps"};
        for (std::string line; std::getline(maps, line);) {
            if (line.find(path_) != std::string::npos) return true;
        }
        return false;
    }
    SdkLibrary const* operator->() const { return library_; }

  private:
    std::string const path_;
    void* handle_;
    SdkLibrary const* library_ = nullptr;
};

/// What a sanitizer starts is there from the beginning.
std::ptrdiff_t threads() {
    std::filesystem::directory_iterator const tasks{"/proc/self/task"};
    return std::distance(begin(tasks), end(tasks));
}
std::ptrdiff_t const threadsAtStart = threads();

/// The system counts a thread for a moment after it has been joined. If one stays this never returns, and the test fails.
void waitForEndOfThreads() {
    while (threads() > threadsAtStart) std::this_thread::yield();
}

/// The handlers of fork() are among what a library leaves behind.
void forkOnce() {
    auto const pid = ::fork();
    if (pid == 0) ::_exit(0);
    int status = 1;
    check(::waitpid(pid, &status, 0) == pid && status == 0, "fork() works when the libraries are gone");
}

void bothAtOnce(char const* firstPath, char const* secondPath, int flags) {
    for (int round = 0; round < kRounds; ++round) {
        Opened first{firstPath, flags};
        Opened second{secondPath, flags};
        check(first->start(url, "both") && second->start(url, "both"), "both libraries reach the hub");
        check(first->publish(kMessages) && second->publish(kMessages), "both can publish");
        check(first->receive(2 * kMessages) && second->receive(2 * kMessages), "both receive what both published");
        // The one that was loaded first goes first, although the other may have been bound to it.
        first->stop();
        first.close();
        check(second->publish(kMessages) && second->receive(3 * kMessages), "the second works when the first is gone");
        second->stop();
        second.close();
        waitForEndOfThreads();  // closed clients leave none behind
        check(!first.isInMemory() && !second.isInMemory(), "both libraries are out of memory");
        forkOnce();
    }
}

void singletons(char const* path) {
    for (int round = 0; round < kRounds; ++round) {
        Opened library{path, RTLD_LOCAL};
        check(library->useSingletons(url, kMessages), "the singletons work, also when the library was loaded again");
        library.close();
        waitForEndOfThreads();  // dlclose() has closed the singletons
        check(!library.isInMemory(), "the library is out of memory");
        forkOnce();
    }
}

/// The state of the resolver below: it hangs until told otherwise.
std::atomic<bool> resolving{false};
std::atomic<bool> mayEnd{false};

/// Opened and closed once more, after its last thread has ended, it goes out of memory.
void expectGoneAfterNextClose(char const* path) {
    waitForEndOfThreads();
    Opened again{path, RTLD_LOCAL};
    again.close();
    check(!again.isInMemory(), "the library is out of memory when its last thread has ended");
}

void whileResolving(char const* path) {
    for (int round = 0; round < kRounds; ++round) {
        resolving = mayEnd = false;
        {
            Opened library{path, RTLD_LOCAL};
            library->closeWhileResolving("tcp://some.hub.example:5875", [] { resolving.wait(false); });
        }
        check(threads() > threadsAtStart, "the resolver still runs");
        mayEnd = true;
        mayEnd.notify_all();
        expectGoneAfterNextClose(path);
    }
}

std::atomic<bool> destroyed{false};

void inCallback(char const* path) {
    for (int round = 0; round < kRounds; ++round) {
        destroyed = mayEnd = false;
        {
            Opened library{path, RTLD_LOCAL};
            check(library->start(url, "t"), "the library reaches the hub");
            library->destroyInCallback([] {
                destroyed = true;
                destroyed.notify_all();
                mayEnd.wait(false);
            });
            destroyed.wait(false);
            library->stop();
        }
        mayEnd = true;
        mayEnd.notify_all();
        expectGoneAfterNextClose(path);
    }
}

}  // namespace

/// The libraries get this one instead of the C library's.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(char const*, char const*, addrinfo const*, addrinfo**) {
    resolving = true;
    resolving.notify_all();
    mayEnd.wait(false);
    return EAI_NONAME;
}

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    std::string_view const way = argv[1];
    url = argv[2];
    if (way == "local") bothAtOnce(argv[3], argv[4], RTLD_LOCAL);
    else if (way == "global") bothAtOnce(argv[3], argv[4], RTLD_GLOBAL);
    else if (way == "singletons") singletons(argv[3]);
    else if (way == "resolving") whileResolving(argv[3]);
    else if (way == "in-callback") inCallback(argv[3]);
    else return 2;
    return 0;
}
