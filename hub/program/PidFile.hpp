#pragma once
#include <filesystem>

namespace gazellemq::hub {

/// A file with this process's number, locked as long as the process lives and removed at the end. The lock, not the number,
/// tells whether its process lives: a file left by a killed hub is taken over.
class PidFile {
  public:
    /// Throws std::runtime_error naming the file and, if another process holds it, that one's number.
    explicit PidFile(std::filesystem::path path);
    ~PidFile();
    PidFile(PidFile const&) = delete;
    PidFile& operator=(PidFile const&) = delete;

  private:
    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace gazellemq::hub
