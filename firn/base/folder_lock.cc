// flock() rather than fcntl(): its locks belong to an open file and not to a process, so that two runs in one process
// exclude each other as two processes do, and closing another handle of the file releases nothing.
#include "firn/base/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/left_behind.h"
#include "firn/base/printable.h"
#include "firn/base/same_file.h"

namespace firn {

namespace {

constexpr auto kPause = std::chrono::milliseconds(100);

std::string own_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

std::string holder_of(int descriptor) {
  std::array<char, 320> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  return length > 0 ? printable({text.data(), static_cast<std::size_t>(length)}) : "another process";
}

bool means_no_locks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS;
}

[[noreturn]] void fail_to_lock(const std::filesystem::path& folder, int error) {
  const bool unsupported = means_no_locks(error);
  throw Error(fmt::format("cannot lock {}: {}; {}", folder.string(), std::strerror(error),
                          unsupported ? "this file system has no locks, so choose a folder on another one"
                                      : "check the permissions or choose another folder"));
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, const std::function<bool()>& wait, Use use)
    : file_(folder / ".lock"), use_(use) {
  for (;;) {
    FileHandle handle(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!handle.is_open()) fail_to_lock(folder, errno);
    if (::flock(handle.get(), (use == Use::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) {
      if (!is_still_there(handle.get(), file_)) continue;
      handle_ = std::move(handle);
      break;
    }
    if (errno == EINTR) continue;
    if (use == Use::kShared && means_no_locks(errno)) return;
    if (errno != EWOULDBLOCK) fail_to_lock(folder, errno);
    if (!wait || !wait())
      throw Error(fmt::format("{} is in use by {}; wait until it is done, or choose another folder", folder.string(),
                              holder_of(handle.get())));
    std::this_thread::sleep_for(kPause);
  }
  const std::string name = own_name();
  if (::ftruncate(handle_.get(), 0) != 0 || ::pwrite(handle_.get(), name.data(), name.size(), 0) < 0)
    fail_to_lock(folder, errno);
  if (use == Use::kAlone) remove_left_behind(folder);
}

FolderLock::~FolderLock() {
  // While others share the folder, the file must stay: whoever wants the folder alone would lock a new one.
  if (handle_.is_open() && use_ == Use::kShared && ::flock(handle_.get(), LOCK_EX | LOCK_NB) != 0) return;
  if (handle_.is_open() && is_still_there(handle_.get(), file_)) ::unlink(file_.c_str());
}

}  // namespace firn
