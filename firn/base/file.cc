#include "firn/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/same_file.h"

namespace firn {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

const char* way_out(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EFBIG:
      return "raise the limit on the size of files, or write less";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check the permissions or choose another folder";
    case ENOENT:
    case ENOTDIR:
      return "check the path, and create the folder first when writing";
    case EISDIR:
      return "name a file instead of a folder";
    default:
      return "check the disk and try again";
  }
}

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path, int error, std::string_view advice) {
  throw Error(fmt::format("cannot {} {}: {}; {}", verb, path.string(), std::strerror(error), advice));
}

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path, int error) {
  fail(verb, path, error, way_out(error));
}

// `advice` is for a file that is not there; what else can happen has its own.
[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error, std::string_view advice) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  if (error == EACCES || error == EPERM)
    advice = "check the permissions of the file and of its folders";
  else if (!missing)
    advice = way_out(error);
  else if (advice.empty())
    advice = "check the path";
  fail("read", path, error, advice);
}

// A signal may interrupt a call, and a call may write a part only.
void write_all(int descriptor, const std::byte* bytes, std::size_t count, const std::filesystem::path& path) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// The rename is safe from a power cut only when the folder is on the disk, too.
void sync_folder(const std::filesystem::path& path) {
  const FileHandle folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) fail("sync the folder of", path, errno);
  // EINVAL: this file system cannot sync folders, and nothing more can be done.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) fail("sync the folder of", path, errno);
}

// The number of a descriptor that the path names, as /dev/stdout and /dev/fd/3 do.
std::optional<int> own_descriptor(const std::filesystem::path& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::string text = path.string();
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    int descriptor = 0;
    const char *begin = text.data() + folder.size(), *end = text.data() + text.size();
    if (const auto read = std::from_chars(begin, end, descriptor); read.ec == std::errc() && read.ptr == end)
      return descriptor;
  }
  return std::nullopt;
}

template <class Bytes>
Bytes read_whole(const std::filesystem::path& path, std::string_view advice) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail_to_read(path, errno, advice);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_to_read(path, errno, advice);
  if (S_ISDIR(status.st_mode)) fail_to_read(path, EISDIR, advice);

  // One byte more than the size at the start tells the end of a file from a file that grows; pipes have size 0.
  Bytes bytes(static_cast<std::size_t>(status.st_size) + 1, typename Bytes::value_type{});
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(2 * bytes.size() + kBufferBytes);
    const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path, errno, advice);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  return read_whole<std::vector<std::byte>>(path, {});
}

std::string read_text(const std::filesystem::path& path, std::string_view advice) {
  return read_whole<std::string>(path, advice);
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = other.release();
  }
  return *this;
}

int FileHandle::release() {
  return std::exchange(descriptor_, -1);
}

int FileHandle::close() {
  if (!is_open()) return 0;
  return ::close(release()) == 0 ? 0 : errno;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;  // whatever is wrong with a path is reported when it is opened
  // Before links are followed: /dev/stdout is a link, to a pipe that has no path or to a file that is being appended
  // to.
  if (const auto descriptor = own_descriptor(path_)) {
    file_ = FileHandle(::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0));
    if (!file_.is_open()) fail("write", path_, errno);
    return;
  }
  if (std::filesystem::is_other(path_, ignored)) {
    file_ = FileHandle(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_.is_open()) fail("write", path_, errno);
    return;
  }
  if (std::filesystem::is_symlink(path_, ignored)) path_ = std::filesystem::weakly_canonical(path_, ignored);
  // Two writers of one file must not meet: the first name that no living process has locked is taken.
  for (int attempt = 0;; ++attempt) {
    temporary_ = folder_of(path_) / fmt::format(".{}.{}.tmp", path_.filename().string(), attempt);
    file_ = FileHandle(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file_.is_open()) fail("write", path_, errno);
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;
    if (!is_still_there(file_.get(), temporary_)) continue;
    if (::ftruncate(file_.get(), 0) != 0) fail("write", path_, errno);
    return;
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());  // still locked
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  FIRN_CHECK(file_.is_open());
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) {
    write_all(file_.get(), bytes.data(), bytes.size(), path_);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void AtomicFile::flush() {
  write_all(file_.get(), buffer_.data(), buffer_.size(), path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  FIRN_CHECK(file_.is_open());
  flush();
  const bool in_place = temporary_.empty();
  if (!in_place) {
    if (::fsync(file_.get()) != 0) fail("write", path_, errno);
    // Before it is closed: without the lock somebody else could take the temporary over.
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("replace", path_, errno);
    temporary_.clear();
  }
  if (const int error = file_.close(); error != 0) fail("write", path_, error);
  if (!in_place) sync_folder(path_);
}

AppendFile::AppendFile(std::filesystem::path path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)) {
  if (!file_.is_open()) fail("write", path_, errno);
}

AppendFile::AppendFile(std::filesystem::path path, std::uint64_t length)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)), length_(length) {
  if (!file_.is_open()) fail("continue", path_, errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail("continue", path_, errno);
  if (static_cast<std::uint64_t>(status.st_size) < length)
    throw Error(fmt::format("cannot continue {}: it has {} bytes but had {} before; restore it or start a new file",
                            path_.string(), status.st_size, length));
  if (::ftruncate(file_.get(), static_cast<off_t>(length)) != 0) fail("continue", path_, errno);
}

void AppendFile::append(std::string_view record) {
  write_all(file_.get(), reinterpret_cast<const std::byte*>(record.data()), record.size(), path_);
  length_ += record.size();
}

void AppendFile::sync() {
  if (::fsync(file_.get()) != 0) fail("write", path_, errno);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace firn
