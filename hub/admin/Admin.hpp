#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "AdminPort.hpp"
#include "Broker.hpp"
#include "TopicStore.hpp"

namespace gazellemq::hub {

/// Every operation of administrators, once: arguments and results are JSON objects, whatever brings them. On the core's thread.
///
/// A result is a page of at most kMaxPage entries; `next` in it, given as `after`, asks for the one that follows.
class Admin final : public AdminPort {
  public:
    static constexpr std::uint64_t kPage = 100;
    static constexpr std::uint64_t kMaxPage = 1000;

    /// Without a `store` created topics end with the hub.
    explicit Admin(Broker& broker, TopicStore* store = nullptr);

    /// Topics of an earlier hub. What went wrong, a sentence for each topic that is not what it was.
    std::vector<std::string> restore(std::vector<TopicStore::Entry> const& entries);

    void request(std::uint64_t session, std::uint32_t requestId, std::string_view operation, std::string_view arguments) override;

    struct Answer {
        Error code = Error::ok;
        std::string sentence;
        nlohmann::ordered_json result = nlohmann::ordered_json::object();
        std::string changed = {};  ///< the created topic that is to be kept as it is now, or not any more
    };
    Answer run(std::string_view operation, std::string_view arguments);

  private:
    using Operation = Answer (Admin::*)(std::string_view arguments);

    Answer createTopic(std::string_view arguments);
    Answer deleteTopic(std::string_view arguments);
    Answer listTopics(std::string_view arguments);
    Answer topicInfo(std::string_view arguments);
    Answer setTopic(std::string_view arguments);
    Answer pauseTopic(std::string_view arguments) { return pause(arguments, true); }
    Answer resumeTopic(std::string_view arguments) { return pause(arguments, false); }
    Answer purgeTopic(std::string_view arguments);
    Answer ping(std::string_view arguments);
    Answer stats(std::string_view arguments);
    Answer connections(std::string_view arguments);
    Answer kick(std::string_view arguments);
    Answer pause(std::string_view arguments, bool paused);
    void reply(std::uint64_t session, std::uint32_t requestId, Answer const& answer);
    void keep(std::string const& name, TopicStore::Done done);
    Answer changedTopic(Topic const& topic) const;
    Topic& topicNamed(std::string const& name) const;

    Broker& broker_;
    TopicStore* const store_;
    std::map<std::string_view, Operation> const operations_;
};

}  // namespace gazellemq::hub
