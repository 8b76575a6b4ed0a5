#pragma once
#include <filesystem>

namespace gazellemq::perf {

/// The file of this program.
inline std::filesystem::path ownProgram() { return std::filesystem::read_symlink("/proc/self/exe"); }

/// The gazelle-hub that was built or installed together with this program.
inline std::filesystem::path hubProgram() { return ownProgram().replace_filename("gazelle-hub"); }

}  // namespace gazellemq::perf
