// A folder for readers that take files: one for each process, in memory where there is a file system for that.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace firn {

inline const std::filesystem::path& scratch_folder() {
  struct Scratch {
    std::filesystem::path folder;
    ~Scratch() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  };
  static const Scratch scratch = [] {
    const std::filesystem::path memory = "/dev/shm";
    const bool has_memory = std::filesystem::is_directory(memory);
    Scratch made{(has_memory ? memory : std::filesystem::temp_directory_path()) /
                 ("firn-fuzz-" + std::to_string(::getpid()))};
    std::filesystem::create_directories(made.folder);
    return made;
  }();
  return scratch.folder;
}

}  // namespace firn
