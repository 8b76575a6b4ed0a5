#include "TopicName.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "Batches.hpp"

namespace gazellemq::protocol {
namespace {

using namespace std::string_literals;

struct Case {
    std::string name;
    Error topic;
    Error pattern;
};

std::vector<Case> const kCases{
    {"a", Error::ok, Error::ok},
    {"login", Error::ok, Error::ok},
    {"a.b.c", Error::ok, Error::ok},
    {"two words", Error::ok, Error::ok},
    {"a ._b.c", Error::ok, Error::ok},
    {std::string(255, 'x'), Error::ok, Error::ok},
    {"", Error::nameEmpty, Error::nameEmpty},
    {std::string(256, 'x'), Error::nameTooLong, Error::nameTooLong},
    {std::string(4096, 'x'), Error::nameTooLong, Error::nameTooLong},
    {"a\nb", Error::nameControlCharacter, Error::nameControlCharacter},
    {"a\tb", Error::nameControlCharacter, Error::nameControlCharacter},
    {"a\0b"s, Error::nameControlCharacter, Error::nameControlCharacter},
    {"a\x7F", Error::nameControlCharacter, Error::nameControlCharacter},
    {"a\xC2\x80", Error::nameControlCharacter, Error::nameControlCharacter},
    {"a\xC2\x9F", Error::nameControlCharacter, Error::nameControlCharacter},
    {"a\xC2\xA0", Error::ok, Error::ok},
    {" a", Error::nameEdgeSpace, Error::nameEdgeSpace},
    {"a ", Error::nameEdgeSpace, Error::nameEdgeSpace},
    {".", Error::nameEmptyLevel, Error::nameEmptyLevel},
    {".a", Error::nameEmptyLevel, Error::nameEmptyLevel},
    {"a.", Error::nameEmptyLevel, Error::nameEmptyLevel},
    {"a..b", Error::nameEmptyLevel, Error::nameEmptyLevel},
    {"_inbox.1", Error::nameReserved, Error::nameReserved},
    {"_gazelle.stats", Error::nameReserved, Error::nameReserved},
    {"_", Error::nameReserved, Error::nameReserved},
    {"a._b", Error::ok, Error::ok},
    {"*", Error::nameWildcard, Error::ok},
    {">", Error::nameWildcard, Error::ok},
    {"a.*.c", Error::nameWildcard, Error::ok},
    {"*.*.>", Error::nameWildcard, Error::ok},
    {"a.>", Error::nameWildcard, Error::ok},
    {"a.>.c", Error::nameWildcard, Error::wildcardNotLast},
    {">.>", Error::nameWildcard, Error::wildcardNotLast},
    {"a.b*", Error::nameWildcard, Error::wildcardNotAlone},
    {"a.*b.c", Error::nameWildcard, Error::wildcardNotAlone},
    {"**", Error::nameWildcard, Error::wildcardNotAlone},
    {"a.>>", Error::nameWildcard, Error::wildcardNotAlone},
};

TEST(TopicName, each_rule_has_its_own_answer) {
    for (auto const& [name, topic, pattern] : kCases) {
        EXPECT_EQ(nameOf(checkTopic(name)), nameOf(topic)) << "'" << name << "'";
        EXPECT_EQ(nameOf(checkPattern(name)), nameOf(pattern)) << "'" << name << "'";
    }
}

// B04: names that are paths, reserved words or look-alikes elsewhere.
TEST(TopicName, is_never_a_path) {
    EXPECT_EQ(checkTopic("../../evil"), Error::nameEmptyLevel);
    EXPECT_EQ(checkTopic(".."), Error::nameEmptyLevel);
    EXPECT_EQ(checkTopic("a/../../b"), Error::nameEmptyLevel);
    EXPECT_EQ(checkTopic("..%2f..%2fx"), Error::nameEmptyLevel);
    EXPECT_EQ(checkTopic("trailing."), Error::nameEmptyLevel);
    EXPECT_EQ(checkTopic("trailing "), Error::nameEdgeSpace);
    for (auto const* const ordinary : {"/etc/x", "C:\\x", "CON", "a/b", "a_b", "\xF0\x9F\xA6\x8C",
                                       "caf\xC3\xA9", "cafe\xCC\x81", "LOGIN", "%00"}) {
        EXPECT_EQ(checkTopic(ordinary), Error::ok) << ordinary;
    }
}

TEST(TopicName, names_are_compared_byte_by_byte) {
    EXPECT_FALSE(matches("login", "Login"));
    EXPECT_FALSE(matches("caf\xC3\xA9", "cafe\xCC\x81")) << "NFC and NFD are two topics";
    EXPECT_FALSE(matches("a/b", "a_b"));
}

TEST(TopicName, must_be_well_formed_utf8) {
    for (auto const& bad :
         {"\x80"s, "\xBF"s, "\xC0\x80"s, "\xC1\xBF"s, "\xC3"s, "\xC3("s, "\xE0\x80\x80"s, "\xE0\x9F\xBF"s,
          "\xE2\x82"s, "\xED\xA0\x80"s, "\xED\xBF\xBF"s, "\xF0\x80\x80\x80"s, "\xF0\x8F\xBF\xBF"s,
          "\xF0\x9F\xA6"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s, "\xFF"s, "\xFE"s}) {
        EXPECT_EQ(checkTopic(bad), Error::nameNotUtf8) << testing::PrintToString(bad);
        EXPECT_EQ(checkTopic("a" + bad + "b"), Error::nameNotUtf8) << testing::PrintToString(bad);
    }
    for (auto const& good : {"\xC3\xA9"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s, "\xEE\x80\x80"s,
                             "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
        EXPECT_EQ(checkTopic(good), Error::ok) << testing::PrintToString(good);
    }
}

TEST(TopicName, levels_are_cut_at_dots) {
    std::string_view rest = "a.bc.d";
    EXPECT_EQ(nextLevel(rest), "a");
    EXPECT_EQ(nextLevel(rest), "bc");
    EXPECT_EQ(rest, "d");
    EXPECT_EQ(nextLevel(rest), "d");
    EXPECT_EQ(rest, "");
}

TEST(TopicName, a_star_is_one_level_and_an_arrow_the_rest) {
    EXPECT_TRUE(matches("a.*.c", "a.b.c"));
    EXPECT_FALSE(matches("a.*.c", "a.b.b.c"));
    EXPECT_FALSE(matches("a.*", "a"));
    EXPECT_FALSE(matches("*", "a.b"));
    EXPECT_TRUE(matches("a.>", "a.b"));
    EXPECT_TRUE(matches("a.>", "a.b.c.d"));
    EXPECT_FALSE(matches("a.>", "a")) << "one or more levels";
    EXPECT_TRUE(matches(">", "a"));
    EXPECT_TRUE(matches("*.>", "a.b.c"));
    EXPECT_FALSE(matches("a.b", "a.bc"));
    EXPECT_FALSE(matches("a.bc", "a.b"));
    EXPECT_FALSE(matches("a", "a.b"));
    EXPECT_FALSE(matches("a.b", "a"));
}

TEST(TopicName, a_first_wildcard_never_matches_a_reserved_name) {
    EXPECT_FALSE(matches("*", "_a"));
    EXPECT_FALSE(matches(">", "_inbox.1"));
    EXPECT_FALSE(matches("*.>", "_inbox.1"));
    EXPECT_TRUE(matches("_inbox.*", "_inbox.1"));
    EXPECT_TRUE(matches("_inbox.>", "_inbox.1.2"));
    EXPECT_TRUE(matches("a.*", "a._b")) << "only the first level is special";
}

std::vector<std::string> split(std::string const& name) {
    std::vector<std::string> levels{""};
    for (char const c : name) {
        if (c == '.') levels.emplace_back();
        else levels.back() += c;
    }
    return levels;
}

bool naiveMatches(std::vector<std::string> const& pattern, std::vector<std::string> const& topic) {
    if (topic[0][0] == '_' && (pattern[0] == "*" || pattern[0] == ">")) return false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (i >= topic.size()) return false;
        if (pattern[i] == ">") return true;
        if (pattern[i] != "*" && pattern[i] != topic[i]) return false;
    }
    return pattern.size() == topic.size();
}

TEST(TopicName, matches_is_what_a_level_by_level_comparison_says) {
    test::Random random{20240501};
    std::vector<std::string> const words{"a", "b", "ab", "_a", "*", ">"};
    int matched = 0;
    for (int round = 0; round < 50'000; ++round) {
        auto const make = [&](std::size_t mostWord) {
            std::string name = words[test::pick(random, 0, mostWord)];
            for (auto more = test::pick(random, 0, 3); more > 0; --more)
                name += "." + words[test::pick(random, 0, mostWord)];
            return name;
        };
        auto const pattern = make(5);
        auto const topic = make(3);
        if (checkPattern("x." + pattern) != Error::ok)
            continue;  // as a second level even a reserved name is legal
        auto const expected = naiveMatches(split(pattern), split(topic));
        ASSERT_EQ(matches(pattern, topic), expected) << pattern << " and " << topic;
        matched += expected ? 1 : 0;
    }
    EXPECT_GT(matched, 1000);
}

}  // namespace
}  // namespace gazellemq::protocol
