#include "Table.hpp"

#include <gtest/gtest.h>

namespace gazellemq::tools {
namespace {

TEST(Table, has_columns_under_each_other_the_first_to_the_left) {
    Table table{{"topic", "in"}};
    table.add({"a", "1000"});
    table.add({"caf\xC3\xA9.orders", "1"});
    EXPECT_EQ(table.toText(),
              "topic          in\n"
              "a            1000\n"
              "caf\xC3\xA9.orders     1\n");
}

TEST(Table, knows_whether_it_has_rows) {
    Table table{{"topic"}};
    EXPECT_TRUE(table.empty());
    table.add({"a"});
    EXPECT_FALSE(table.empty());
}

TEST(SizeText, has_the_units_of_the_options) {
    EXPECT_EQ(sizeText(0), "0 B");
    EXPECT_EQ(sizeText(1023), "1023 B");
    EXPECT_EQ(sizeText(8 * 1024 * 1024), "8.0 MB");
    EXPECT_EQ(sizeText(1e30), sizeText(1e30));
}

TEST(Printable, leaves_nothing_that_steers_a_terminal) {
    EXPECT_EQ(printable("caf\xC3\xA9 \xE2\x82\xAC"), "caf\xC3\xA9 \xE2\x82\xAC");
    EXPECT_EQ(printable("a\x1B[2Jb\nc\x7F"), "a?[2Jb?c?");
    EXPECT_EQ(printable("a\xC2\x9B\x32Jb"), "a?2Jb");
}

}  // namespace
}  // namespace gazellemq::tools
