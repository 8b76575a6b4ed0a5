#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

namespace gazellemq::hub {

class Subscription;

/// Wildcard subscriptions by the levels of their patterns. Asked once for each new topic; a topic then knows its
/// readers. Cost of match(): about 2^levels nodes at worst, not the number of subscriptions. Empty branches are removed.
class TopicTree {
  public:
    void add(std::string_view pattern, Subscription& subscription);
    void remove(std::string_view pattern, Subscription& subscription);
    /// Calls `found` for every subscription whose pattern matches `topic`.
    void match(std::string_view topic, std::function<void(Subscription&)> const& found) const;
    bool empty() const { return root_.empty(); }

  private:
    struct Node {
        std::map<std::string, std::unique_ptr<Node>, std::less<>> children;  // "*" and ">" among them
        std::unordered_set<Subscription*> here;
        bool empty() const { return children.empty() && here.empty(); }
    };

    static void remove(Node& node, std::string_view rest, Subscription& subscription);
    static void match(Node const& node, std::string_view rest, bool wildcards,
                      std::function<void(Subscription&)> const& found);

    Node root_;
};

}  // namespace gazellemq::hub
