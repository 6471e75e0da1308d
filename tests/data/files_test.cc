#include "firn/data/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string gz_of(const TemporaryFolder& folder, std::string_view text) {
  write_gz(folder / "text.gz", text);
  return read_text(folder / "text.gz");
}

TEST(ReadPlainOrGz, AnUnreadableFolderIsAMatterOfPermissions) {
  const TemporaryFolder folder;
  write_input(folder / "a", "text");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
  // The superuser may read everything, so this test becomes nobody for a moment.
  constexpr uid_t kNobody = 65534;
  const bool superuser = ::geteuid() == 0;
  if (superuser) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const std::string message = error_of([&] { read_plain_or_gz(folder / "a", "fetch it"); });
  if (superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_THAT(message, AllOf(HasSubstr((folder / "a").string()), HasSubstr("check the permissions of the file")));
}

TEST(Gunzip, RestoresWhatWasPacked) {
  const TemporaryFolder folder;
  for (std::size_t size : {0, 1, 1000, 3000000}) {
    std::string text(size, 'a');
    for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>(i * i);
    EXPECT_EQ(gunzip(gz_of(folder, text), "text.gz"), text);
  }
}

TEST(Gunzip, RefusesEveryCut) {
  const TemporaryFolder folder;
  const std::string gz = gz_of(folder, "one two three four five");
  for (std::size_t length = 0; length < gz.size(); ++length)
    EXPECT_THAT(error_of([&] { gunzip(std::string_view(gz).substr(0, length), "cut.gz"); }),
                AllOf(HasSubstr("cut.gz"), HasSubstr("again")))
        << length;
}

TEST(Gunzip, RefusesDamageTrailingBytesAndFloods) {
  const TemporaryFolder folder;
  std::string gz = gz_of(folder, std::string(10000, 'z'));
  EXPECT_THAT(error_of([&] { gunzip(gz + "more", "long.gz"); }), HasSubstr("4 bytes after"));
  EXPECT_THAT(error_of([&] { gunzip(gz, "flood.gz", 9000); }), HasSubstr("more than 9000 bytes"));
  gz[gz.size() - 6] = static_cast<char>(gz[gz.size() - 6] ^ 1);  // the check sum
  EXPECT_THAT(error_of([&] { gunzip(gz, "bad.gz"); }), HasSubstr("bad.gz is not a sound gzip file"));
}

TEST(ReadPlainOrGz, PrefersThePlainFile) {
  const TemporaryFolder folder;
  write_gz(folder / "a.gz", "packed");
  EXPECT_EQ(read_plain_or_gz(folder / "a", ""), "packed");
  write_input(folder / "a", "plain");
  EXPECT_EQ(read_plain_or_gz(folder / "a", ""), "plain");
}

TEST(FindInput, LooksHereAndThenBelowTheRoot) {
  const TemporaryFolder folder;
  write_input(folder / "sub" / "a.csv", "1,2");
  EXPECT_EQ(find_input("sub/a.csv", folder.path()), folder.path() / "sub/a.csv");
  EXPECT_EQ(find_input((folder / "sub/a.csv").string(), "/nowhere"), folder / "sub/a.csv");
  EXPECT_THAT(error_of([&] { find_input("b.csv", folder.path()); }),
              AllOf(HasSubstr("b.csv"), HasSubstr(folder.path().string())));
}

}  // namespace
}  // namespace firn
