#pragma once
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "TopicStore.hpp"

namespace SQLite {
class Database;
}

namespace gazellemq::hub {

/// The created topics in an SQLite database, written by a thread of its own: what waits is kept together, in one transaction,
/// synced. Order is that of the calls.
///
///     schema 1    topics(id integer primary key autoincrement, name text unique, settings text, paused integer)
///                 PRAGMA user_version is the number of the schema
///
/// Ids are never given again. An older schema is brought up step by step in one transaction; a newer one is refused.
class Catalog final : public TopicStore {
  public:
    /// `toCore` runs its argument on the core's thread. Throws std::runtime_error: damaged, of a newer hub, not writable.
    Catalog(std::filesystem::path const& file, std::function<void(std::function<void()>)> toCore);
    /// Keeps what waits.
    ~Catalog();

    /// Everything that is kept, by name; before the first change.
    std::vector<Entry> load() const;

    void put(Entry entry, Done done) override;
    void remove(std::string name, Done done) override;

    /// Renames a database that cannot be read to *.bad, with what belongs to it, so that a hub can begin anew.
    static void setAside(std::filesystem::path const& file);

  private:
    struct Change {
        std::string name;
        std::optional<Entry> entry;  ///< empty: it goes
        Done done;
    };

    void enqueue(Change change);
    void run();
    std::string keep(std::deque<Change> const& changes);

    std::function<void(std::function<void()>)> const toCore_;
    std::unique_ptr<SQLite::Database> database_;
    std::mutex mutex_;
    std::condition_variable wanted_;
    std::deque<Change> waiting_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace gazellemq::hub
