#include "TopicTree.hpp"

#include "TopicName.hpp"

namespace gazellemq::hub {

using protocol::nextLevel;

void TopicTree::add(std::string_view pattern, Subscription& subscription) {
    auto* node = &root_;
    for (auto rest = pattern; !rest.empty();) {
        auto& child = node->children[std::string{nextLevel(rest)}];
        if (!child) child = std::make_unique<Node>();
        node = child.get();
    }
    node->here.insert(&subscription);
}

void TopicTree::remove(std::string_view pattern, Subscription& subscription) { remove(root_, pattern, subscription); }

void TopicTree::remove(Node& node, std::string_view rest, Subscription& subscription) {
    if (rest.empty()) {
        node.here.erase(&subscription);
        return;
    }
    auto const child = node.children.find(nextLevel(rest));
    if (child == node.children.end()) return;
    remove(*child->second, rest, subscription);
    if (child->second->empty()) node.children.erase(child);
}

void TopicTree::match(std::string_view topic, std::function<void(Subscription&)> const& found) const {
    auto const reserved = !topic.empty() && topic.front() == '_';
    match(root_, topic, !reserved, found);
}

void TopicTree::match(Node const& node, std::string_view rest, bool wildcards,
                      std::function<void(Subscription&)> const& found) {
    if (rest.empty()) {
        for (auto* subscription : node.here) found(*subscription);
        return;
    }
    auto const level = nextLevel(rest);
    if (auto const child = node.children.find(level); child != node.children.end()) match(*child->second, rest, true, found);
    if (!wildcards) return;
    if (auto const child = node.children.find("*"); child != node.children.end()) match(*child->second, rest, true, found);
    if (auto const child = node.children.find(">"); child != node.children.end()) {
        for (auto* subscription : child->second->here) found(*subscription);
    }
}

}  // namespace gazellemq::hub
