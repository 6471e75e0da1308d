#include "firn/base/left_behind.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "firn/base/file.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

// Writes half a file in a process of its own, and dies or waits.
pid_t start_writer(const std::filesystem::path& path, bool lives) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write(std::vector<std::byte>(std::size_t{2} << 20));
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    if (lives) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  if (!lives) ::waitpid(child, nullptr, 0);
  return child;
}

TEST(LeftBehind, IsWhatDeadProcessesWereWriting) {
  const TemporaryFolder folder;
  write_file(folder / ".mine.tmp", "not a temporary of ours");
  const pid_t living = start_writer(folder / "a", true);
  start_writer(folder / "b", false);
  ASSERT_EQ(files_in(folder.path()), 3U);
  EXPECT_EQ(left_behind(folder.path()), std::vector{folder / ".b.0.tmp"});
  remove_left_behind(folder.path());
  EXPECT_EQ(files_in(folder.path()), 2U);
  EXPECT_TRUE(std::filesystem::exists(folder / ".a.0.tmp"));
  ::kill(living, SIGKILL);
  ::waitpid(living, nullptr, 0);
  remove_left_behind(folder.path());
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(LeftBehind, IsTakenOverByTheNextWriterOfTheFile) {
  const TemporaryFolder folder;
  start_writer(folder / "a", false);
  write_file(folder / "a", "text");
  EXPECT_EQ(read_text(folder / "a"), "text");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace firn
