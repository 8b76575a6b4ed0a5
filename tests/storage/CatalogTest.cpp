#include "Catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include <SQLiteCpp/SQLiteCpp.h>

#include "DataDir.hpp"
#include "Waiting.hpp"

namespace gazellemq::hub {
namespace {

namespace fs = std::filesystem;
using test::Inbox;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CatalogTest : public testing::Test {
  protected:
    CatalogTest() {
        auto pattern = (fs::temp_directory_path() / "gazelle-catalog-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        file = folder / "catalog.db";
    }
    ~CatalogTest() override { fs::remove_all(folder); }

    std::unique_ptr<Catalog> open() {
        return std::make_unique<Catalog>(file, [](std::function<void()> const& work) { work(); });
    }
    TopicStore::Done told() {
        return [this](std::string const& problem) { done.add(problem); };
    }
    std::vector<std::string> names() {
        std::vector<std::string> all;
        for (auto const& entry : open()->load()) all.push_back(entry.name);
        return all;
    }
    std::string refusal() {
        try {
            open();
        } catch (std::runtime_error const& error) {
            return error.what();
        }
        return "opened";
    }

    fs::path folder;
    fs::path file;
    Inbox<std::string> done;
};

TEST_F(CatalogTest, keeps_what_it_said_it_has_kept) {
    {
        auto const catalog = open();
        EXPECT_THAT(catalog->load(), IsEmpty());
        catalog->put({"b", R"({"window_bytes": 65536})", false}, told());
        catalog->put({"a", "{}", true}, told());
        ASSERT_TRUE(done.waitFor(2));
        EXPECT_THAT(done.all(), ElementsAre("", ""));
    }
    auto const entries = open()->load();
    ASSERT_THAT(entries, SizeIs(2));
    EXPECT_EQ(entries[0].name, "a");
    EXPECT_TRUE(entries[0].paused);
    EXPECT_EQ(entries[1].settings, R"({"window_bytes": 65536})");
}

TEST_F(CatalogTest, keeps_changes_in_the_order_in_which_they_came) {
    {
        auto const catalog = open();
        for (int i = 0; i < 100; ++i) {
            catalog->put({"t", std::to_string(i), false}, told());
            if (i % 10 == 5) catalog->remove("t", told());
        }
    }
    EXPECT_EQ(open()->load().at(0).settings, "99");
}

TEST_F(CatalogTest, a_removed_topic_stays_removed) {
    {
        auto const catalog = open();
        catalog->put({"kept", "{}", false}, told());
        catalog->put({"gone", "{}", false}, told());
        catalog->remove("gone", told());
        catalog->remove("never.there", told());
    }
    EXPECT_THAT(names(), ElementsAre("kept"));
}

TEST_F(CatalogTest, never_gives_an_id_twice) {
    auto const idOf = [&](std::string const& name) {
        SQLite::Database database{file.string(), SQLite::OPEN_READONLY};
        return database.execAndGet("SELECT id FROM topics WHERE name = '" + name + "'").getInt64();
    };
    open()->put({"first", "{}", false}, told());
    auto const first = idOf("first");
    open()->remove("first", told());
    open()->put({"second", "{}", false}, told());
    EXPECT_GT(idOf("second"), first);
}

TEST_F(CatalogTest, names_are_any_text) {
    for (auto const* name : {"a b", "..", "'; DROP TABLE topics; --", "caf\xC3\xA9", "a/b"}) open()->put({name, "{}", false}, told());
    EXPECT_THAT(names(), testing::UnorderedElementsAre("a b", "..", "'; DROP TABLE topics; --", "caf\xC3\xA9", "a/b"));
    EXPECT_FALSE(fs::exists(folder / "a"));
}

TEST_F(CatalogTest, a_file_that_is_damaged_is_refused_with_the_remedy_and_left_as_it_is) {
    open()->put({"kept", "{}", false}, told());
    auto const size = fs::file_size(file);
    auto const remedy = AllOf(HasSubstr(file.string()), HasSubstr("damaged"), HasSubstr("--reset-catalog"));
    fs::copy_file(file, folder / "copy");
    std::ofstream{file} << "";
    EXPECT_THAT(refusal(), remedy) << "emptied";
    std::ofstream{file} << std::string(size, '\0');
    EXPECT_THAT(refusal(), remedy) << "zeroed";
    std::ofstream{file} << "no database at all";
    EXPECT_THAT(refusal(), remedy);
    EXPECT_EQ(fs::file_size(file), 18U);
    fs::copy_file(folder / "copy", file, fs::copy_options::overwrite_existing);
    std::fstream middle{file, std::ios::in | std::ios::out | std::ios::binary};
    middle.seekp(4096);
    middle << std::string(4096, '\xAA');
    middle.close();
    EXPECT_THAT(refusal(), remedy) << "a page overwritten";
    Catalog::setAside(file);
    EXPECT_TRUE(fs::exists(file.string() + ".bad"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(CatalogTest, of_a_newer_hub_is_refused) {
    open();
    SQLite::Database{file.string(), SQLite::OPEN_READWRITE}.exec("PRAGMA user_version = 99");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("newer"), HasSubstr("99")));
}

TEST_F(CatalogTest, a_disk_that_takes_nothing_is_told_for_each_change) {
    auto const catalog = open();
    {
        // Somebody else holds the database for longer than anybody waits.
        SQLite::Database other{file.string(), SQLite::OPEN_READWRITE};
        other.exec("BEGIN IMMEDIATE");
        catalog->put({"t", "{}", false}, told());
        ASSERT_TRUE(done.waitFor(1));
        EXPECT_THAT(done.all().at(0), testing::Not(IsEmpty()));
    }
    catalog->put({"t", "{}", false}, told());
    ASSERT_TRUE(done.waitFor(2));
    EXPECT_EQ(done.all().at(1), "") << "and later changes are kept again";
}

TEST_F(CatalogTest, a_data_directory_is_made_and_has_one_hub) {
    auto const path = folder / "deep" / "data";
    {
        DataDir const first{path};
        try {
            DataDir const second{path};
            FAIL() << "two have it";
        } catch (std::runtime_error const& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), HasSubstr("in use"), HasSubstr(std::to_string(::getpid()))));
        }
    }
    EXPECT_NO_THROW(DataDir{path}) << "free again";
    std::ofstream{folder / "file"} << "x";
    EXPECT_THROW(DataDir{folder / "file"}, std::runtime_error);
}

}  // namespace
}  // namespace gazellemq::hub
