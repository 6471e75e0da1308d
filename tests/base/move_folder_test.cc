#include "firn/base/move_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

fs::path make(const fs::path& folder, const std::string& text) {
  fs::create_directories(folder);
  write_file(folder / "file", text);
  return folder;
}

TEST(MoveFolder, TheFirstOneWinsAndKeepsWhatItBrought) {
  const TemporaryFolder folder;
  EXPECT_TRUE(move_folder(make(folder / "a", "a"), folder / "deep/name"));
  EXPECT_FALSE(move_folder(make(folder / "b", "b"), folder / "deep/name"));
  EXPECT_EQ(read_text(folder / "deep/name/file"), "a");
  EXPECT_EQ(read_text(folder / "b/file"), "b");
}

TEST(MoveFolder, WhatIsGoneCannotBeMoved) {
  const TemporaryFolder folder;
  EXPECT_FALSE(move_folder(folder / "none", folder / "name"));
  make(folder / "a", "a");
  EXPECT_THAT(error_of([&] { move_folder(folder / "a", folder / "a/b"); }), testing::HasSubstr("cannot move"));
}

TEST(MoveFolder, OfManyExactlyOneSucceeds) {
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> winners = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          const std::string own = fmt::format("{}-{}", round, t);
          winners += move_folder(make(folder / own, own), folder / fmt::format("name-{}", round));
        });
    }
    EXPECT_EQ(winners, 1);
  }
}

TEST(MoveFolder, ARemovedFolderIsGoneFromBothNames) {
  const TemporaryFolder folder;
  remove_folder(make(folder / "a", "a"), folder / "aside");
  EXPECT_TRUE(fs::is_empty(folder.path()));
  remove_folder(folder / "a", folder / "aside");
}

}  // namespace
}  // namespace firn
