// Exclusive use of a folder by one process, for as long as the process lives.
#pragma once

#include <filesystem>
#include <functional>

#include "firn/base/file.h"

namespace firn {

// A lock of the kernel on the file ".lock" in the folder, which dies with its process, however that ends. The file says
// who holds it and is removed when the lock is released; one that a killed process has left behind locks nothing, and
// the temporaries that it was writing are removed by the next holder.
// Network file systems that cannot lock are refused rather than trusted.
class FolderLock {
 public:
  // Those who share a folder keep out only whoever wants it alone. They come to terms with each other without locks, so
  // that a file system that has none is good enough for them: nobody can have it alone there.
  enum class Use { kAlone, kShared };

  // Takes the lock of a folder that exists, or throws an Error that names the holder. `wait` is asked several times a
  // second while somebody else holds it: true goes on waiting.
  explicit FolderLock(const std::filesystem::path& folder, const std::function<bool()>& wait = {},
                      Use use = Use::kAlone);
  ~FolderLock();
  FolderLock(FolderLock&&) = default;

 private:
  std::filesystem::path file_;
  FileHandle handle_;
  Use use_;
};

}  // namespace firn
