#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "HubProcess.hpp"
#include "PublisherClient.hpp"

/// gazelle-hub as a service: in the background, with its files, under systemd.
namespace gazellemq::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string contentOf(fs::path const& file) {
    std::stringstream content;
    content << std::ifstream{file}.rdbuf();
    return content.str();
}

class Service : public testing::Test {
  protected:
    ~Service() override {
        // A daemon is nobody's child: it is found by its file, also when a test has failed.
        if (auto const pid = daemonPid(); pid > 0) ::kill(pid, SIGKILL);
        fs::remove_all(folder);
    }

    static fs::path makeFolder() {
        auto pattern = (fs::temp_directory_path() / "gazelle-service-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
        return pattern;
    }
    pid_t daemonPid() const {
        pid_t pid = 0;
        std::ifstream{pidFile} >> pid;
        return pid;
    }
    std::vector<std::string> daemonOptions() const {
        return {"--listen", url, "--daemon", "--pid-file", pidFile, "--log-file", logFile};
    }
    bool serves() const {
        client::PublisherClient publisher;
        publisher.connectToHub("publisher", url);
        return publisher.publish("t", "x") == Error::ok && publisher.flush(kPatience) == Error::ok;
    }

    fs::path const folder = makeFolder();
    std::string const url = "unix://" + (folder / "hub.sock").string();
    fs::path const pidFile = folder / "hub.pid";
    fs::path const logFile = folder / "hub.log";
};

TEST_F(Service, daemon_serves_when_its_starter_has_returned_and_ends_at_sigterm) {
    ChildProcess starter{HubProcess::command(daemonOptions())};
    ASSERT_EQ(starter.waitForEnd(), "exit 0") << starter.errors();
    EXPECT_EQ(starter.nextLine(), "gazelle-hub is ready on " + url);
    auto const pid = daemonPid();
    ASSERT_GT(pid, 0);
    EXPECT_NE(pid, starter.pid());
    EXPECT_EQ(::getsid(pid), pid) << "it has left the terminal";
    EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(pid) + "/cwd"), "/");
    EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(pid) + "/fd/2"), "/dev/null");
    EXPECT_TRUE(serves());
    ::kill(pid, SIGTERM);
    EXPECT_TRUE(eventually([&] { return !fs::exists(pidFile); }));
    EXPECT_TRUE(eventually([&] { return ::kill(pid, 0) != 0; }));
    EXPECT_THAT(contentOf(logFile), testing::AllOf(HasSubstr("ready on"), HasSubstr("draining"), HasSubstr("stopped")));
}

TEST_F(Service, daemon_that_cannot_serve_tells_its_starter_why) {
    auto options = daemonOptions();
    options[1] = "unix://" + (folder / "missing" / "hub.sock").string();
    ChildProcess starter{HubProcess::command(options)};
    EXPECT_EQ(starter.waitForEnd(), "exit 1");
    EXPECT_THAT(starter.errors(), HasSubstr("cannot listen on"));
    EXPECT_FALSE(fs::exists(pidFile));
}

TEST_F(Service, daemon_needs_a_log_file) {
    ChildProcess starter{HubProcess::command({"--listen", url, "--daemon"})};
    EXPECT_EQ(starter.waitForEnd(), "exit 2");
    EXPECT_THAT(starter.errors(), HasSubstr("--log-file"));
}

TEST_F(Service, a_second_hub_with_the_same_pid_file_is_refused_and_a_killed_ones_file_is_taken_over) {
    ChildProcess first{HubProcess::command(daemonOptions())};
    ASSERT_EQ(first.waitForEnd(), "exit 0") << first.errors();
    auto const pid = daemonPid();
    ChildProcess second{HubProcess::command({"--listen", "tcp://127.0.0.1:0", "--pid-file", pidFile})};
    EXPECT_EQ(second.waitForEnd(), "exit 1");
    EXPECT_THAT(second.errors(), HasSubstr("process " + std::to_string(pid) + " holds it"));
    EXPECT_EQ(daemonPid(), pid);

    ::kill(pid, SIGKILL);
    ASSERT_TRUE(eventually([&] { return ::kill(pid, 0) != 0; }));
    EXPECT_TRUE(fs::exists(pidFile));
    ChildProcess third{HubProcess::command(daemonOptions())};
    EXPECT_EQ(third.waitForEnd(), "exit 0") << third.errors();
    EXPECT_NE(daemonPid(), pid);
    EXPECT_TRUE(serves());
}

TEST_F(Service, log_file_is_opened_anew_at_sigusr1) {
    HubProcess hub{{"--log-file", logFile}};
    // The log has a thread of its own: what it has not written yet goes to the new file.
    ASSERT_TRUE(eventually([&] { return contentOf(logFile).find("ready on") != std::string::npos; }));
    fs::rename(logFile, folder / "moved.log");
    hub.signal(SIGUSR1);
    ASSERT_TRUE(eventually([&] { return contentOf(logFile).find("opened anew") != std::string::npos; }));
    EXPECT_THAT(contentOf(folder / "moved.log"), HasSubstr("ready on"));
    EXPECT_EQ(hub.stop(), "exit 0");
    EXPECT_EQ(hub.process().errors(), "");
}

TEST_F(Service, needs_one_writable_folder_under_a_read_only_root_as_an_ordinary_user_where_namespaces_are_allowed) {
    fs::copy_file(GAZELLE_HUB, folder / "gazelle-hub");
    fs::permissions(folder, fs::perms::all);
    // A mount namespace of its own, as the service managers make it; root becomes nobody in it.
    auto const isRoot = ::geteuid() == 0;
    auto const inside = "mount --bind " + folder.string() + " " + folder.string() + " && mount -o remount,bind,ro / && " +
                        (isRoot ? "exec setpriv --reuid 65534 --regid 65534 --clear-groups " : "exec ");
    auto const unshare = isRoot ? "unshare --mount sh -c " : "unshare --user --map-root-user --mount sh -c ";
    auto const run = [&](std::string const& command) {
        return ChildProcess::Setup{.words = {"/bin/sh", "-c", "exec " + std::string{unshare} + "'" + inside + command + "'"}};
    };
    if (ChildProcess probe{run("true")}; probe.waitForEnd() != "exit 0") GTEST_SKIP() << "no namespaces here: " << probe.errors();
    EXPECT_NE((ChildProcess{run("touch /tmp/gazelle-is-not-read-only")}.waitForEnd()), "exit 0");

    ChildProcess hub{run((folder / "gazelle-hub").string() + " --listen " + url + " --listen tcp://127.0.0.1:0 --data-dir " +
                         (folder / "data").string() + " --pid-file " +
                         pidFile.string() + " --log-file " + logFile.string())};
    auto const ready = hub.nextLine();
    ASSERT_TRUE(ready && ready->starts_with("gazelle-hub is ready on " + url)) << hub.errors();
    EXPECT_TRUE(serves());
    EXPECT_EQ(daemonPid(), hub.pid());
    fs::rename(logFile, folder / "old.log");
    hub.signal(SIGUSR1);
    EXPECT_TRUE(eventually([&] { return fs::exists(logFile); }));
    hub.signal(SIGTERM);
    EXPECT_EQ(hub.waitForEnd(), "exit 0") << hub.errors();
    EXPECT_FALSE(fs::exists(pidFile));
    EXPECT_FALSE(fs::exists(folder / "hub.sock"));
    EXPECT_THAT(contentOf(logFile), HasSubstr("stopped"));
}

TEST_F(Service, log_has_statistics_at_sigusr2) {
    HubProcess hub{{"--log-file", logFile}};
    client::PublisherClient publisher;
    publisher.connectToHub("counted", hub.url());
    ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    hub.signal(SIGUSR2);
    ASSERT_TRUE(eventually([&] { return contentOf(logFile).find("statistics: connections=1 subscriptions=0 topics=1") != std::string::npos; }));
    EXPECT_THAT(contentOf(logFile), HasSubstr(" messages_in=1 messages_out=0 "));
    EXPECT_EQ(hub.stop(), "exit 0");
}

TEST_F(Service, log_files_are_bounded_in_size_and_number) {
    HubProcess hub{{"--log-file", logFile, "--log-file-bytes", "1KB", "--log-files", "2"}};
    for (int i = 0; i < 50; ++i) {
        client::PublisherClient publisher;
        publisher.connectToHub("a client with a name that fills lines", hub.url());
        ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
        ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    }
    EXPECT_EQ(hub.stop(), "exit 0");
    std::size_t files = 0;
    for (auto const& entry : fs::directory_iterator{folder}) {
        ++files;
        EXPECT_LE(entry.file_size(), 1024u) << entry.path();
    }
    EXPECT_EQ(files, 3u);
}

TEST_F(Service, log_file_that_cannot_be_opened_is_refused) {
    ChildProcess hub{HubProcess::command({"--listen", url, "--log-file", "/proc/no/hub.log"})};
    EXPECT_EQ(hub.waitForEnd(), "exit 1");
    EXPECT_THAT(hub.errors(), testing::AllOf(HasSubstr("--log-file"), HasSubstr("/proc/no/hub.log")));
}

TEST_F(Service, configuration_can_be_checked_without_starting) {
    std::ofstream{folder / "good.toml"} << "listen = [\"" << url << "\"]\nstall_limit = \"3s\"\n";
    ChildProcess good{HubProcess::command({"--config", folder / "good.toml", "--check-config"})};
    EXPECT_EQ(good.waitForEnd(), "exit 0");
    EXPECT_THAT(good.restOfOutput(), HasSubstr("good"));
    EXPECT_FALSE(fs::exists(folder / "hub.sock"));
    std::ofstream{folder / "bad.toml"} << "window_bytes = \"1KB\"\n";
    ChildProcess bad{HubProcess::command({"--config", folder / "bad.toml", "--check-config"})};
    EXPECT_EQ(bad.waitForEnd(), "exit 2");
    EXPECT_THAT(bad.errors(), HasSubstr("window"));
}

TEST_F(Service, sample_configuration_is_good) {
    ChildProcess hub{HubProcess::command({"--config", GAZELLE_PACKAGING "/gazelle-hub.toml", "--check-config"})};
    EXPECT_EQ(hub.waitForEnd(), "exit 0") << hub.errors();
}

/// What a hub tells systemd.
class NotifySocket {
  public:
    explicit NotifySocket(fs::path const& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.string().copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr const*>(&address), sizeof address), 0);
    }
    ~NotifySocket() { ::close(socket_); }
    NotifySocket(NotifySocket const&) = delete;
    NotifySocket& operator=(NotifySocket const&) = delete;

    /// The next datagram; empty if none comes in time.
    std::string next() const {
        pollfd waiting{socket_, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds{kPatience}.count())) <= 0) return {};
        char text[256];
        auto const bytes = ::recv(socket_, text, sizeof text, 0);
        return {text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
    }

  private:
    int socket_;
};

TEST_F(Service, systemd_is_told_that_it_is_ready_alive_and_stopping) {
    NotifySocket const notified{folder / "notify"};
    ChildProcess::Setup setup;
    setup.environment = {"NOTIFY_SOCKET=" + (folder / "notify").string(), "WATCHDOG_USEC=20000"};
    HubProcess hub{{}, setup};
    EXPECT_THAT(notified.next(), HasSubstr("READY=1"));
    EXPECT_EQ(notified.next(), "WATCHDOG=1");
    EXPECT_EQ(notified.next(), "WATCHDOG=1");
    hub.signal(SIGTERM);
    std::string told;
    while ((told = notified.next()) == "WATCHDOG=1") continue;
    EXPECT_EQ(told, "STOPPING=1");
    EXPECT_EQ(hub.process().waitForEnd(), "exit 0");
}

}  // namespace
}  // namespace gazellemq::test
