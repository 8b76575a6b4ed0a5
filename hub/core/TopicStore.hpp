#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gazellemq::hub {

/// Keeps created topics beyond the hub's life. Implemented in hub/storage.
class TopicStore {
  public:
    struct Entry {
        std::string name;
        std::string settings;  ///< a JSON object
        bool paused = false;
    };
    /// Called on the core's thread when the change is kept: empty, or why it is not.
    using Done = std::function<void(std::string const& problem)>;

    /// Changes are kept in the order of the calls.
    virtual void put(Entry entry, Done done) = 0;
    virtual void remove(std::string name, Done done) = 0;

  protected:
    ~TopicStore() = default;
};

}  // namespace gazellemq::hub
