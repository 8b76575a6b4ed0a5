#include "Catalog.hpp"

#include <stdexcept>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

namespace gazellemq::hub {
namespace {

constexpr int kSchema = 1;

/// What brings a database to the schema of that number.
constexpr char const* kSteps[kSchema] = {
    "CREATE TABLE topics(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, settings TEXT NOT NULL, paused INTEGER NOT NULL)",
};

[[noreturn]] void damaged(std::filesystem::path const& file, std::string const& why) {
    throw std::runtime_error(file.string() + " is damaged (" + why +
                             "): restore it from a copy, or start once with --reset-catalog, which renames it to " +
                             file.filename().string() + ".bad and begins without created topics");
}

/// A file that something has emptied would look like a new database.
void refuseEmpty(std::filesystem::path const& file) {
    std::error_code missing;
    if (std::filesystem::file_size(file, missing) == 0 && !missing) damaged(file, "it is empty");
}

void upgrade(SQLite::Database& database, std::filesystem::path const& file) {
    auto const schema = database.execAndGet("PRAGMA user_version").getInt();
    if (schema > kSchema) {
        throw std::runtime_error(file.string() + " was written by a newer gazelle-hub (schema " + std::to_string(schema) + ", this one knows " +
                                 std::to_string(kSchema) + "): use that version or a later one");
    }
    if (schema == kSchema) return;
    SQLite::Transaction transaction{database};
    for (auto step = schema; step < kSchema; ++step) database.exec(kSteps[step]);
    database.exec("PRAGMA user_version = " + std::to_string(kSchema));
    transaction.commit();
}

}  // namespace

Catalog::Catalog(std::filesystem::path const& file, std::function<void(std::function<void()>)> toCore) : toCore_(std::move(toCore)) {
    refuseEmpty(file);
    try {
        database_ = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        // Written ahead and synced at each commit: survives kill -9 and loss of power.
        database_->exec("PRAGMA journal_mode = WAL");
        database_->exec("PRAGMA synchronous = FULL");
        if (auto const verdict = database_->execAndGet("PRAGMA quick_check").getString(); verdict != "ok") damaged(file, verdict);
        upgrade(*database_, file);
        load();
    } catch (SQLite::Exception const& error) {
        if (error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY) {
            throw std::runtime_error(file.string() + ": " + error.what() + ": check that --data-dir can be written");
        }
        damaged(file, error.what());
    }
    thread_ = std::thread{[this] { run(); }};
}

Catalog::~Catalog() {
    {
        std::lock_guard const lock{mutex_};
        ending_ = true;
    }
    wanted_.notify_one();
    thread_.join();
}

std::vector<TopicStore::Entry> Catalog::load() const {
    std::vector<Entry> entries;
    SQLite::Statement query{*database_, "SELECT name, settings, paused FROM topics ORDER BY name"};
    while (query.executeStep()) {
        entries.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(2).getInt() != 0});
    }
    return entries;
}

void Catalog::put(Entry entry, Done done) {
    auto name = entry.name;
    enqueue({std::move(name), std::move(entry), std::move(done)});
}

void Catalog::remove(std::string name, Done done) { enqueue({std::move(name), std::nullopt, std::move(done)}); }

void Catalog::enqueue(Change change) {
    {
        std::lock_guard const lock{mutex_};
        waiting_.push_back(std::move(change));
    }
    wanted_.notify_one();
}

void Catalog::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        wanted_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        auto changes = std::exchange(waiting_, {});
        lock.unlock();
        auto const problem = keep(changes);
        for (auto& change : changes) {
            toCore_([done = std::move(change.done), problem = problem] { done(problem); });
        }
        lock.lock();
    }
}

/// All or none of them. Why not, or nothing.
std::string Catalog::keep(std::deque<Change> const& changes) {
    try {
        SQLite::Transaction transaction{*database_};
        SQLite::Statement put{*database_,
                              "INSERT INTO topics(name, settings, paused) VALUES(?, ?, ?) "
                              "ON CONFLICT(name) DO UPDATE SET settings = excluded.settings, paused = excluded.paused"};
        SQLite::Statement remove{*database_, "DELETE FROM topics WHERE name = ?"};
        for (auto const& change : changes) {
            auto& statement = change.entry ? put : remove;
            statement.reset();
            statement.bind(1, change.name);
            if (change.entry) {
                statement.bind(2, change.entry->settings);
                statement.bind(3, change.entry->paused ? 1 : 0);
            }
            statement.exec();
        }
        transaction.commit();
        return {};
    } catch (SQLite::Exception const& error) {
        return error.what();
    }
}

void Catalog::setAside(std::filesystem::path const& file) {
    for (auto const* suffix : {"", "-wal", "-shm"}) {
        std::error_code missing;
        std::filesystem::rename(file.string() + suffix, file.string() + suffix + ".bad", missing);
    }
}

}  // namespace gazellemq::hub
