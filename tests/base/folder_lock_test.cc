#include "firn/base/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FolderLock, RefusesASecondHolderAndNamesTheFirst) {
  const TemporaryFolder folder;
  std::optional<FolderLock> first(std::in_place, folder.path());
  EXPECT_THAT(
      error_of([&] { FolderLock second(folder.path()); }),
      AllOf(HasSubstr("is in use by process " + std::to_string(::getpid())), HasSubstr(folder.path().string())));
  first.reset();
  FolderLock second(folder.path());
}

TEST(FolderLock, LeavesNothingBehind) {
  const TemporaryFolder folder;
  { FolderLock lock(folder.path()); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FolderLock, ManyMayShareWhatNobodyHasAlone) {
  const TemporaryFolder folder;
  using enum FolderLock::Use;
  std::optional<FolderLock> first(std::in_place, folder.path(), nullptr, kShared);
  std::optional<FolderLock> second(std::in_place, folder.path(), nullptr, kShared);
  first.reset();
  EXPECT_THAT(error_of([&] { FolderLock alone(folder.path()); }), HasSubstr("is in use by process"));
  second.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const FolderLock alone(folder.path());
  EXPECT_THAT(error_of([&] { FolderLock shared(folder.path(), nullptr, kShared); }), HasSubstr("is in use by process"));
}

TEST(FolderLock, WaitsAsLongAsItIsAskedTo) {
  const TemporaryFolder folder;
  std::optional<FolderLock> first(std::in_place, folder.path());
  int asked = 0;
  EXPECT_THAT(error_of([&] { FolderLock second(folder.path(), [&] { return ++asked < 3; }); }), HasSubstr("in use"));
  EXPECT_EQ(asked, 3);
  FolderLock second(folder.path(), [&] {
    first.reset();
    return true;
  });
}

TEST(FolderLock, DiesWithItsProcess) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FolderLock lock(folder.path());
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(error_of([&] { FolderLock lock(folder.path()); }), HasSubstr(std::to_string(child)));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_TRUE(std::filesystem::exists(folder / ".lock"));
  FolderLock lock(folder.path());
}

TEST(FolderLock, NamesAFolderThatCannotBeLocked) {
  EXPECT_THAT(error_of([] { FolderLock lock("/no/such/folder"); }), HasSubstr("cannot lock /no/such/folder"));
}

}  // namespace
}  // namespace firn
