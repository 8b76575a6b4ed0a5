#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <set>

#include "AdminClient.hpp"
#include "HubProcess.hpp"

/// Created topics and hubs that are killed.
namespace gazellemq::test {
namespace {

namespace fs = std::filesystem;
using client::AdminClient;

class CatalogOfAHub : public testing::Test {
  protected:
    static fs::path makeFolder() {
        auto pattern = (fs::temp_directory_path() / "gazelle-data-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
        return pattern;
    }
    ~CatalogOfAHub() override { fs::remove_all(folder); }

    Error ask(std::string_view operation, std::string const& name) {
        return admin.request(operation, R"({"name": ")" + name + "\"}", kPatience).error;
    }
    bool exists(std::string const& name) {
        for (;;) {
            auto const error = ask("topic.info", name);
            if (error != Error::linkLost) return error == Error::ok;
        }
    }

    fs::path const folder = makeFolder();
    HubProcess hub{{"--data-dir", folder.string(), "--auto-create=false"}};
    AdminClient admin;
};

TEST_F(CatalogOfAHub, is_what_was_confirmed_after_any_number_of_kills) {
    ASSERT_EQ(admin.connectToHub("admin", hub.url()), Error::ok);
    std::set<std::string> created;
    std::set<std::string> deleted;
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 20; ++i) {
            auto const name = "topic." + std::to_string(round) + "." + std::to_string(i);
            ASSERT_EQ(ask("topic.create", name), Error::ok);
            created.insert(name);
            if (i % 3 == 0) {
                ASSERT_EQ(ask("topic.delete", name), Error::ok);
                created.erase(name);
                deleted.insert(name);
            }
        }
        hub.kill();
        hub.start();
        ASSERT_TRUE(exists(*created.begin()));
    }
    for (auto const& name : created) EXPECT_TRUE(exists(name)) << name;
    for (auto const& name : deleted) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(CatalogOfAHub, has_one_hub_at_a_time) {
    ChildProcess second{HubProcess::command({"--listen", "tcp://127.0.0.1:0", "--data-dir", folder.string()})};
    EXPECT_EQ(second.waitForEnd(), "exit 1");
    EXPECT_THAT(second.errors(), testing::HasSubstr("in use by another gazelle-hub"));
}

}  // namespace
}  // namespace gazellemq::test
