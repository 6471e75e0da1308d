// A folder that is being filled: made where it is missing, locked, and gone again where nothing has come of it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

#include "firn/base/folder_lock.h"
#include "firn/base/ranks.h"

namespace firn::study {

class OutputFolder {
 public:
  // `wait` and `use` are as in FolderLock.
  explicit OutputFolder(const std::filesystem::path& folder, const std::function<bool()>& wait = {},
                        FolderLock::Use use = FolderLock::Use::kAlone)
      : made_(folder), lock_(folder, wait, use) {}

 private:
  // Folders that were missing. Those that are still empty in the end are removed.
  class Made {
   public:
    explicit Made(const std::filesystem::path& folder);
    ~Made();
    Made(Made&&) = default;

   private:
    Made() = default;
    std::error_code make(const std::filesystem::path& folder);

    std::vector<std::filesystem::path> folders_;  // outer ones first
  };

  Made made_;  // outlives the lock, which is a file in the folder
  FolderLock lock_;
};

// On rank 0, which may wait for as long as it likes: now and then it tells the others, which get none, that it does.
std::optional<OutputFolder> open_on_first_rank(const std::filesystem::path& folder, const std::function<bool()>& wait,
                                               Ranks& ranks);

}  // namespace firn::study
