// Are files and folders still what Firn has written, and what can be recovered where they are not?
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace firn::study {

enum class FileState {
  kSound,       // every byte is as it was written
  kUnchecked,   // it can be read, but has no checksum: it was written by an earlier version or another program
  kDamaged,     // or missing
  kLeftBehind,  // a temporary file of a process that died
};
std::string_view name_of(FileState state);  // one word

struct CheckedFile {
  std::filesystem::path file;
  FileState state = FileState::kSound;
  std::string about;  // what it is or, as a sentence, what is wrong with it and the way out
};

struct CheckResult {
  std::vector<CheckedFile> files;     // that Firn writes, folder by folder, by name
  std::vector<std::string> recovery;  // for every run that has lost a checkpoint, a sentence on how it goes on

  bool is_sound() const;  // nothing is damaged
};

// Reads everything and changes nothing. Folders of runs, sweeps and diagnoses are checked with all folders in them. An
// Error where a path does not exist, or a folder holds nothing that Firn has written.
CheckResult check_files(std::span<const std::filesystem::path> paths);

// Files that a command reads at this path and that carry no checksum; only the beginning of a large file is read.
std::vector<std::filesystem::path> files_without_checksum(const std::filesystem::path& path);
std::string no_checksum_sentence(const std::filesystem::path& file);

}  // namespace firn::study
