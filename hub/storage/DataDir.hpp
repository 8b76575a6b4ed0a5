#pragma once
#include <filesystem>

namespace gazellemq::hub {

/// The directory where one hub keeps what survives it. Made if it is missing, locked as long as this object lives.
///
///     catalog.db    topics and their settings: see Catalog
///     lock          held by the hub that serves (flock); its content is the hub's process number
class DataDir {
  public:
    /// Throws std::runtime_error that names the directory and the remedy.
    explicit DataDir(std::filesystem::path path);
    ~DataDir();
    DataDir(DataDir const&) = delete;
    DataDir& operator=(DataDir const&) = delete;

    std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path const path_;
    int lock_ = -1;
};

}  // namespace gazellemq::hub
