#include "TopicTree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "FakeClient.hpp"
#include "Subscription.hpp"
#include "TopicName.hpp"

namespace gazellemq::hub {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class TopicTreeTest : public testing::Test {
  protected:
    Subscription& add(std::string const& pattern) {
        auto const id = static_cast<std::uint32_t>(subscriptions.size());
        auto& subscription = subscriptions.emplace_back(client.session(), id, pattern, Subscription::Wishes{}, 0);
        tree.add(pattern, subscription);
        return subscription;
    }
    std::vector<std::uint32_t> match(std::string_view topic) const {
        std::vector<std::uint32_t> found;
        tree.match(topic, [&](Subscription& subscription) { found.push_back(subscription.id()); });
        return found;
    }

    test::FakeHub hub;
    test::FakeClient client{hub};
    std::list<Subscription> subscriptions;
    TopicTree tree;
};

TEST_F(TopicTreeTest, finds_every_subscription_that_matches) {
    add("a.*");    // 0
    add("a.>");    // 1
    add(">");      // 2
    add("*.b");    // 3
    add("*.*.*");  // 4
    EXPECT_THAT(match("a.b"), UnorderedElementsAre(0, 1, 2, 3));
    EXPECT_THAT(match("a"), ElementsAre(2));
    EXPECT_THAT(match("a.b.c"), UnorderedElementsAre(1, 2, 4));
    EXPECT_THAT(match("x.y"), ElementsAre(2));
    EXPECT_THAT(match("_a.b"), IsEmpty()) << "a first wildcard never matches a reserved name";
}

TEST_F(TopicTreeTest, finds_each_of_several_subscriptions_to_one_pattern) {
    auto& first = add("a.*");
    add("a.*");
    EXPECT_THAT(match("a.b"), UnorderedElementsAre(0, 1));
    tree.remove("a.*", first);
    EXPECT_THAT(match("a.b"), ElementsAre(1));
}

TEST_F(TopicTreeTest, keeps_no_empty_branches) {
    auto& deep = add("a.b.c.d.*");
    auto& shallow = add("a.*");
    tree.remove("a.b.c.d.*", deep);
    EXPECT_FALSE(tree.empty());
    tree.remove("a.*", shallow);
    EXPECT_TRUE(tree.empty());
}

TEST_F(TopicTreeTest, ignores_the_removal_of_what_is_not_there) {
    auto& here = add("a.*");
    Subscription stranger{client.session(), 99, "a.*", Subscription::Wishes{}, 0};
    tree.remove("a.*", stranger);
    tree.remove("a.b.*", here);
    tree.remove("x.>", here);
    EXPECT_THAT(match("a.b"), ElementsAre(0));
}

/// Patterns come and go; after each step the tree finds what comparing all patterns finds.
TEST_F(TopicTreeTest, finds_what_a_comparison_with_every_pattern_finds) {
    test::Random random{7};
    std::vector<std::string> const words{"a", "b", "ab", "_a", "*", ">"};
    auto const makeName = [&](std::size_t count) {
        std::string name = words[test::pick(random, 0, count - 1)];
        for (auto more = test::pick(random, 0, 3); more > 0; --more)
            name += "." + words[test::pick(random, 0, count - 1)];
        return name;
    };
    for (int step = 0; step < 3000; ++step) {
        if (test::pick(random, 0, 2) > 0 || subscriptions.empty()) {
            auto const pattern = makeName(6);
            // As a second level even a reserved name is legal.
            if (protocol::checkPattern("x." + pattern) == Error::ok) add(pattern);
        }
        if (subscriptions.size() > 40) {
            auto const at =
                std::next(subscriptions.begin(), static_cast<std::ptrdiff_t>(test::pick(random, 0, 40)));
            tree.remove(at->pattern(), *at);
            subscriptions.erase(at);
        }
        auto const topic = makeName(4);
        std::vector<std::uint32_t> expected;
        for (auto const& subscription : subscriptions) {
            if (protocol::matches(subscription.pattern(), topic)) expected.push_back(subscription.id());
        }
        ASSERT_THAT(match(topic), testing::UnorderedElementsAreArray(expected)) << topic;
    }
    for (auto& subscription : subscriptions) tree.remove(subscription.pattern(), subscription);
    EXPECT_TRUE(tree.empty());
}

}  // namespace
}  // namespace gazellemq::hub
