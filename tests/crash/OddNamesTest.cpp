#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "HubProcess.hpp"
#include "PublisherClient.hpp"
#include "RawClient.hpp"
#include "Received.hpp"

/// B04: whatever a topic is called, the hub never makes a file of it, and no two names share their messages.
namespace gazellemq::test {
namespace {

namespace fs = std::filesystem;

/// Names that look like something else to a file system, a shell, a database or an eye; all are topics like any other.
std::vector<std::string> acceptedNames() {
    return {"/etc/x", "/", "a/b", "a_b", "a\\b", "C:\\x", "%2e%2e%2fx", "CON", "con", "nul.txt", "~", "$HOME", "`id`", "a;b", "a'b", "a\"b",
            "-rf", "--help", "a b", "#", "{}", "gazelle-topics", "Login", "login", "LOGIN", "\xF0\x9F\xA6\x8C", "\xC3\xA9",
            "e\xCC\x81", "\xC3\x89", std::string(255, 'n'), std::string(254, 'n'), "a.b", "A.b", "a.b.c"};
}

std::vector<std::string> refusedNames() {
    return {"../../evil", "..", ".", "a/../../b", "..%2f..%2fx", std::string("a\0b", 3), std::string(256, 'n'), std::string(4096, 'n'),
            "trailing ", " leading", "trailing.", ".leading", "a..b", "_reserved", "line\nbreak", "tab\t", "\x1b[2J", "\xFF\xFE", "\xC0\xAF", ""};
}

/// The files that a process has open to write to. (Its log may be looking at the time zone just now.)
std::set<std::string> writtenFilesOf(pid_t pid) {
    std::set<std::string> files;
    auto const process = "/proc/" + std::to_string(pid);
    std::error_code closed;  // meanwhile
    for (auto const& entry : fs::directory_iterator{process + "/fd"}) {
        auto const target = fs::read_symlink(entry.path(), closed).string();
        if (!target.starts_with("/") || target.starts_with("/memfd:")) continue;
        std::ifstream info{process + "/fdinfo/" + entry.path().filename().string()};
        std::string word;
        while (info >> word && word != "flags:") continue;
        int flags = 0;
        if (info >> std::oct >> flags && (flags & O_ACCMODE) != O_RDONLY) files.insert(target);
    }
    return files;
}

class OddNames : public testing::Test {
  protected:
    OddNames() {
        auto pattern = (fs::temp_directory_path() / "gazelle-names-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        fs::create_directories(folder_ / "a" / "b");
        ChildProcess::Setup setup;
        setup.folder = folder_ / "a" / "b";
        setup.environment = {"HOME=" + setup.folder, "TMPDIR=" + setup.folder};
        hub.emplace(std::vector<std::string>{}, setup);
        filesAtStart_ = writtenFilesOf(hub->process().pid());
    }
    ~OddNames() override { fs::remove_all(folder_); }

    /// Also beside and above the hub's folder, where "../.." would lead.
    void expectNoFiles() {
        EXPECT_EQ(writtenFilesOf(hub->process().pid()), filesAtStart_);
        EXPECT_EQ(hub->stop(), "exit 0");
        std::size_t entries = 0;
        for ([[maybe_unused]] auto const& entry : fs::recursive_directory_iterator{folder_}) ++entries;
        EXPECT_EQ(entries, 2u) << "a and a/b";
    }

    std::optional<HubProcess> hub;

  private:
    fs::path folder_;
    std::set<std::string> filesAtStart_;
};

TEST_F(OddNames, that_are_accepted_never_share_messages_nor_become_files) {
    auto const names = acceptedNames();
    TestSubscriber all;
    all.client.connectToHub("all", hub->url());
    ASSERT_EQ(all.subscribe(">"), Error::ok);
    std::vector<std::unique_ptr<TestSubscriber>> subscribers;
    for (auto const& name : names) {
        auto& subscriber = *subscribers.emplace_back(std::make_unique<TestSubscriber>());
        subscriber.client.connectToHub(name.substr(0, 20), hub->url());
        EXPECT_EQ(subscriber.subscribe(name), Error::ok) << name;
    }
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", hub->url());
    for (int round = 0; round < 3; ++round) {
        for (auto const& name : names) EXPECT_EQ(publisher.publish(name, "of " + name), Error::ok) << name;
    }
    ASSERT_EQ(publisher.flush(kPatience), Error::ok);
    ASSERT_TRUE(all.messages.waitFor(3 * names.size()));
    for (auto const& message : all.messages.all()) EXPECT_EQ(message.payload, "of " + message.topic) << "names come back byte by byte";
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_TRUE(subscribers[i]->messages.waitFor(3)) << names[i];
        EXPECT_EQ(subscribers[i]->payloads(), std::vector<std::string>(3, "of " + names[i]));
    }
    expectNoFiles();
}

TEST_F(OddNames, that_are_refused_leave_nothing_either) {
    RawClient raw{hub->port()};
    ASSERT_TRUE(raw.greet("../../evil"));
    client::PublisherClient publisher;
    TestSubscriber subscriber;
    publisher.connectToHub("../../evil", hub->url());
    subscriber.client.connectToHub("/etc/evil", hub->url());
    std::uint32_t id = 1;
    for (auto const& name : refusedNames()) {
        auto const rule = publisher.publish(name, "x");
        EXPECT_NE(rule, Error::ok) << name;
        EXPECT_EQ(subscriber.client.subscribe(name, subscriber.keep()).error(), rule) << name;
        EXPECT_EQ(raw.open(id, name), rule) << "the hub does not rely on the SDK: " << name;
        EXPECT_EQ(raw.subscribe(id++, name), rule) << name;
    }
    raw.reset();
    expectNoFiles();
}

}  // namespace
}  // namespace gazellemq::test
