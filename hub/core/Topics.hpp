#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Topic.hpp"
#include "TopicTree.hpp"
#include "gazellemq/Error.hpp"

namespace gazellemq::hub {

/// The topics by name, in order, and which subscription reads which of them: those by wildcard, those by name, and those whose topic does not
/// exist yet. Owned by the Broker; does not know sessions' state nor credit.
class Topics {
  public:
    using ByName = std::map<std::string_view, std::unique_ptr<Topic>, std::less<>>;  // keys point into the topics

    /// `pool`: for what is made for single readers.
    explicit Topics(protocol::BufferPool& pool) : pool_(pool) {}

    /// nullptr if there is none.
    Topic* find(std::string_view name) const;
    /// `name` is valid and free. Every subscription that matches reads it from now on.
    Topic& make(std::string_view name, TopicSettings const& settings, std::int64_t nowMs);
    /// Its publishers have been told. Its readers are told `code` here; those by name wait for the next topic of that name.
    void erase(Topic& topic, Error code);

    /// A subscription by name whose topic does not exist waits for it.
    void add(Subscription& subscription, std::int64_t nowMs);
    /// Returns the topics that it read.
    std::vector<Topic*> remove(Subscription& subscription);

    /// Looks after `topic` when it has been unused for `ttlMs`.
    void noteUnused(Topic& topic, std::int64_t nowMs, std::int64_t ttlMs);
    /// Topics that nobody has used for `ttlMs`; each at most once.
    std::vector<Topic*> takeIdle(std::int64_t nowMs, std::int64_t ttlMs);

    ByName const& byName() const { return byName_; }
    std::size_t size() const { return byName_.size(); }

  private:
    void attach(Subscription& subscription, Topic& topic, std::int64_t nowMs);

    protocol::BufferPool& pool_;
    ByName byName_;
    TopicTree tree_;
    std::unordered_map<std::string, std::vector<Subscription*>> waiting_;  // by the name of the missing topic
    std::uint32_t nextId_ = 1;
    std::deque<std::pair<std::int64_t, Topic*>> unused_;  // when to look whether it can go
};

}  // namespace gazellemq::hub
