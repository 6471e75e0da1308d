#include "firn/base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void put(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string get(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(ReadFile, GivesAllBytes) {
  const TemporaryFolder folder;
  put(folder / "a", std::string("x\0y", 3));
  EXPECT_EQ(read_file(folder / "a"), bytes_of({"x\0y", 3}));
}

TEST(ReadFile, NamesWhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { read_file(folder / "nothing"); }), HasSubstr((folder / "nothing").string()));
  EXPECT_THAT(error_of([&] { read_file(folder.path()); }), HasSubstr("name a file instead of a folder"));
}

TEST(ReadText, GivesTheWholeFile) {
  const TemporaryFolder folder;
  const std::string text(100001, 'x');
  put(folder / "a", text);
  put(folder / "empty", "");
  EXPECT_EQ(read_text(folder / "a"), text);
  EXPECT_EQ(read_text(folder / "empty"), "");
}

TEST(ReadText, NamesWhatIsMissingAndEndsWithTheAdvice) {
  EXPECT_THAT(error_of([] { read_text("/nowhere/at/all", "buy a new disk"); }),
              AllOf(HasSubstr("/nowhere/at/all"), HasSubstr("buy a new disk")));
}

TEST(ReadText, AFolderIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { read_text(folder.path(), "fetch it again"); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("name a file")));
}

TEST(AtomicFile, ReplacesOnlyOnCommit) {
  const TemporaryFolder folder;
  put(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write(bytes_of("new"));
  }
  EXPECT_EQ(get(folder / "a"), "old");
  AtomicFile file(folder / "a");
  file.write(bytes_of("new"));
  file.commit();
  EXPECT_EQ(get(folder / "a"), "new");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, TwoWritersDoNotMeet) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a"), second(folder / "a");
  first.write(bytes_of("first"));
  second.write(bytes_of("second"));
  second.commit();
  first.commit();
  EXPECT_EQ(get(folder / "a"), "first");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, BytesBeyondTheBufferKeepTheirOrder) {
  const TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder / "a");
  for (std::size_t size : {5u, 700'000u, 700'000u, 3'000'000u, 7u}) {
    const std::string part(size, static_cast<char>('a' + size % 23));
    file.write(bytes_of(part));
    expected += part;
  }
  file.commit();
  EXPECT_EQ(get(folder / "a"), expected);
}

// Stands in for a full disk: the system refuses to let any file grow beyond a limit.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(AtomicFile, AFileThatMayNotGrowLeavesTheEarlierFileAndNothingElse) {
  const TemporaryFolder folder;
  put(folder / "a", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = error_of([&] {
      AtomicFile file(folder / "a");
      file.write(std::vector<std::byte>(5000));
      file.commit();
    });
  }
  EXPECT_THAT(message, HasSubstr("raise the limit on the size of files"));
  EXPECT_EQ(get(folder / "a"), "old");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, ALinkStaysALinkAndItsTargetIsReplaced) {
  const TemporaryFolder folder;
  put(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(get(folder / "target"), "new");
}

TEST(AtomicFile, DevicesAreWrittenToAndStay) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(error_of([] { write_file("/dev/full", "text"); }), HasSubstr("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, APipeIsWrittenToByTheNameOfItsLink) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileHandle reading(ends[0]);
  {
    const FileHandle writing(ends[1]);
    write_file("/proc/self/fd/" + std::to_string(writing.get()), "text");
  }
  char found[8] = {};
  EXPECT_EQ(::read(reading.get(), found, sizeof found), 4);
  EXPECT_STREQ(found, "text");
}

TEST(AtomicFile, AFifoGetsTheBytes) {
  const TemporaryFolder folder;
  const std::filesystem::path fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string found;
  std::thread reader([&] { found = read_text(fifo); });
  write_file(fifo, "text");
  reader.join();
  EXPECT_EQ(found, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST(AtomicFile, WhatIsOpenAlreadyIsAppendedTo) {
  const TemporaryFolder folder;
  const FileHandle open_file(::open((folder / "a").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(open_file.get(), "before ", 7), 7);
  write_file("/dev/fd/" + std::to_string(open_file.get()), "after");
  EXPECT_EQ(get(folder / "a"), "before after");
}

TEST(AtomicFile, NamesAFolderThatIsMissingOrNoFolder) {
  const TemporaryFolder folder;
  put(folder / "a", "");
  EXPECT_THAT(error_of([&] { AtomicFile file(folder / "missing/x"); }), HasSubstr("create the folder first"));
  EXPECT_THAT(error_of([&] { AtomicFile file(folder / "a/x"); }), HasSubstr((folder / "a/x").string()));
  std::filesystem::create_directory(folder / "d");
  EXPECT_THAT(error_of([&] { AtomicFile(folder / "d").commit(); }), HasSubstr("name a file instead of a folder"));
  EXPECT_EQ(files_in(folder.path()), 2u);
}

TEST(AppendFile, EveryRecordIsThereAtOnce) {
  const TemporaryFolder folder;
  AppendFile file(folder / "a");
  file.append("one\n");
  EXPECT_EQ(get(folder / "a"), "one\n");
  file.append("two\n");
  EXPECT_EQ(get(folder / "a"), "one\ntwo\n");
  EXPECT_EQ(file.length(), 8u);
}

TEST(AppendFile, ContinuesBehindAnEarlierLength) {
  const TemporaryFolder folder;
  put(folder / "a", "one\ntwo\n");
  AppendFile file(folder / "a", 4);
  file.append("three\n");
  EXPECT_EQ(get(folder / "a"), "one\nthree\n");
  EXPECT_THAT(error_of([&] { AppendFile(folder / "a", 100); }), HasSubstr("has 10 bytes but had 100"));
}

}  // namespace
}  // namespace firn
