// Whole files: read at once, replaced atomically, or grown record by record, with errors that name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

std::vector<std::byte> read_file(const std::filesystem::path& path);
// The same as characters, whatever the bytes mean. `advice` is what the user can do when the file is not there.
std::string read_text(const std::filesystem::path& path, std::string_view advice = {});

// An open file descriptor, closed by whoever owns this.
class FileHandle {
 public:
  explicit FileHandle(int descriptor = -1) : descriptor_(descriptor) {}
  ~FileHandle() { close(); }
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  int release();
  int close();  // 0, or the error number: some file systems report a failed write only here

 private:
  int descriptor_;
};

// A file that appears whole or not at all. Bytes go to a temporary name in the same folder; commit() syncs them to the
// disk and renames. Without commit() the temporary is removed and an earlier file of that name stays as it was. A link
// stays a link, to the new file; devices and pipes cannot be replaced, and get the bytes as they come.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  void flush();

  std::filesystem::path path_, temporary_;
  FileHandle file_;
  std::vector<std::byte> buffer_;  // small writes are gathered here
};

// Writes a small file in one go, whole or not at all.
void write_file(const std::filesystem::path& path, std::string_view text);

// A file that grows by whole records. Each append reaches the operating system at once, so that another process can
// follow the file and a killed run loses at most the record being written.
class AppendFile {
 public:
  explicit AppendFile(std::filesystem::path path);               // starts empty
  AppendFile(std::filesystem::path path, std::uint64_t length);  // keeps the first `length` bytes of an earlier file

  void append(std::string_view record);
  void sync();  // what was appended is on the disk when this returns
  std::uint64_t length() const { return length_; }

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t length_ = 0;
};

}  // namespace firn
