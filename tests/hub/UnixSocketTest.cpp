#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "PublisherClient.hpp"
#include "SubscriberClient.hpp"
#include "Waiting.hpp"
#include "gazellemq/hub/Server.hpp"

namespace gazellemq::hub {
namespace {

using namespace test;

class UnixSocket : public testing::Test {
  protected:
    UnixSocket() {
        auto name = (std::filesystem::temp_directory_path() / "gazelle-XXXXXX").string();
        if (::mkdtemp(name.data())) folder = name;
    }
    ~UnixSocket() override { std::filesystem::remove_all(folder); }

    std::string path() const { return folder / "hub.sock"; }
    std::string url() const { return "unix://" + path(); }
    std::unique_ptr<Server> start(std::string const& query = "") const {
        auto server = std::make_unique<Server>(ServerOptions{.listen = {url() + query}, .limits = {}, .log = {}});
        server->start();
        return server;
    }
    /// What start() says.
    std::string problem() const {
        try {
            start();
        } catch (std::runtime_error const& error) {
            return error.what();
        }
        return "none";
    }
    mode_t mode() const {
        struct stat file {};
        EXPECT_EQ(::stat(path().c_str(), &file), 0);
        return file.st_mode & 0777u;
    }
    /// A socket file that a killed process leaves.
    void leaveStaleFile() const {
        auto const socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path().copy(address.sun_path, sizeof address.sun_path - 1);
        ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address), 0);
        ::close(socket);
        ASSERT_TRUE(std::filesystem::is_socket(path()));
    }
    void expectServes() const {
        client::PublisherClient publisher;
        ASSERT_EQ(publisher.connectToHub("publisher", url()), Error::ok);
        ASSERT_EQ(publisher.publish("t", "x"), Error::ok);
        EXPECT_EQ(publisher.flush(kPatience), Error::ok);
    }

    std::filesystem::path folder;
};

TEST_F(UnixSocket, is_served_beside_tcp_and_carries_messages_both_ways) {
    Server server{{.listen = {url(), "tcp://127.0.0.1:0"}, .limits = {}, .log = {}}};
    server.start();
    EXPECT_EQ(server.urls().front(), url());
    Inbox<std::string> messages;
    client::SubscriberClient subscriber;
    subscriber.subscribe("t", [&](std::string&& text) { messages.add(std::move(text)); });
    subscriber.connectToHub("subscriber", url());
    ASSERT_EQ(subscriber.waitUntilSubscribed(kPatience), Error::ok);
    client::PublisherClient publisher;
    publisher.connectToHub("publisher", server.urls().back());
    ASSERT_EQ(publisher.publish("t", "over both"), Error::ok);
    ASSERT_TRUE(messages.waitFor(1));
    EXPECT_EQ(messages.all().front(), "over both");
}

TEST_F(UnixSocket, is_for_its_user_alone_unless_a_mode_is_given) {
    auto server = start();
    EXPECT_EQ(mode(), 0600u);
    server.reset();
    EXPECT_FALSE(std::filesystem::exists(path())) << "gone with its hub";
    server = start("?mode=0666");
    EXPECT_EQ(mode(), 0666u);
    expectServes();
}

TEST_F(UnixSocket, file_of_a_hub_that_was_killed_is_replaced) {
    leaveStaleFile();
    auto const server = start();
    expectServes();
}

TEST_F(UnixSocket, that_another_hub_serves_is_refused_with_a_sentence_and_goes_on_serving) {
    auto const server = start();
    EXPECT_NE(problem().find(url() + ": another process serves this socket: stop it, or give another path"), std::string::npos) << problem();
    expectServes();
}

TEST_F(UnixSocket, does_not_replace_a_file_that_is_not_a_socket) {
    std::ofstream{path()} << "precious";
    EXPECT_NE(problem().find("not a socket"), std::string::npos) << problem();
    std::string word;
    std::ifstream{path()} >> word;
    EXPECT_EQ(word, "precious");
}

TEST_F(UnixSocket, in_a_folder_that_does_not_exist_names_the_remedy) {
    Server server{{.listen = {"unix://" + (folder / "missing" / "hub.sock").string()}, .limits = {}, .log = {}}};
    try {
        server.start();
        FAIL();
    } catch (std::runtime_error const& error) {
        EXPECT_NE(std::string{error.what()}.find("check that the directory exists"), std::string::npos) << error.what();
    }
}

TEST_F(UnixSocket, file_disappears_with_the_hub_but_not_if_it_is_another_hubs_by_then) {
    auto first = start();
    std::filesystem::remove(path());
    auto const second = start();
    first = nullptr;
    EXPECT_TRUE(std::filesystem::exists(path()));
    expectServes();
}

}  // namespace
}  // namespace gazellemq::hub
