#include "firn/study/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "firn/study/argument_error.h"
#include "tests/support/input_files.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::Contains;

class OutputFileTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, AnInputIsKnownByEveryName) {
  write_input(folder_ / "input", "text");
  std::filesystem::create_symlink("input", folder_ / "link");
  std::filesystem::create_hard_link(folder_ / "input", folder_ / "second");
  for (const char* name : {"input", "./input", "link", "second"})
    EXPECT_THROW(check_output(folder_ / name, {folder_ / "input"}), ArgumentError) << name;
  EXPECT_THROW(check_output(folder_ / "input", {folder_ / "missing", folder_ / "link"}), ArgumentError);
}

TEST_F(OutputFileTest, WhatIsNoInputMayBeReplaced) {
  write_input(folder_ / "input", "text");
  write_input(folder_ / "output", "text");
  for (const std::string name : {"output", "new", "missing/new"})
    EXPECT_NO_THROW(check_output(folder_ / name, {folder_ / "input", folder_ / "missing", ""})) << name;
  EXPECT_NO_THROW(check_output("", {folder_ / "input"}));
  EXPECT_NO_THROW(check_output("/dev/null", {"/dev/null"}));
}

TEST_F(OutputFileTest, TheDataOfAConfigurationAreFoundBelowTheRoot) {
  write_input(folder_ / "data.csv", "");
  Config config = small_config("global", 25);
  config.data.source = "csv";
  config.data.file = "data.csv";
  EXPECT_THAT(files_of_data(config, folder_.path().string()), Contains(folder_ / "data.csv"));
}

TEST_F(OutputFileTest, PipesAndDevicesAreStreams) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  write_input(folder_ / "file", "");
  for (const std::filesystem::path& stream :
       {folder_ / "pipe", std::filesystem::path("/dev/null"), std::filesystem::path("/dev/stdout"),
        std::filesystem::path("/dev/fd/3"), std::filesystem::path("/proc/self/fd/3")})
    EXPECT_TRUE(is_stream(stream)) << stream;
  for (const std::filesystem::path& file :
       {folder_ / "file", folder_ / "new", folder_.path(), std::filesystem::path("/dev/shm/new")})
    EXPECT_FALSE(is_stream(file)) << file;
}

}  // namespace
}  // namespace firn
