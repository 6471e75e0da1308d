#include "firn/train/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() { std::filesystem::create_directories(folder_.path()); }

  TemporaryFolder temporary_;
  RunFolder folder_{temporary_ / "run"};
};

TEST_F(RunFolderTest, KnowsWhetherItHoldsARun) {
  EXPECT_FALSE(folder_.holds_run());
  write_file(folder_.previous(), "x");
  EXPECT_TRUE(folder_.holds_run());
}

TEST_F(RunFolderTest, AskingMakesNothing) {
  const RunFolder elsewhere(temporary_ / "other/run");
  EXPECT_FALSE(elsewhere.holds_run());
  EXPECT_FALSE(elsewhere.newest([](std::string_view) {}));
  EXPECT_FALSE(std::filesystem::exists(temporary_ / "other"));
}

TEST_F(RunFolderTest, TheCheckpointBeforeStaysUntilTheNewOneIsWhole) {
  folder_.rotate([](const std::filesystem::path& path) { write_file(path, "first"); });
  EXPECT_FALSE(std::filesystem::exists(folder_.previous()));
  folder_.rotate([](const std::filesystem::path& path) { write_file(path, "second"); });
  EXPECT_EQ(read_text(folder_.last()), "second");
  EXPECT_EQ(read_text(folder_.previous()), "first");
  EXPECT_ANY_THROW(folder_.rotate([](const std::filesystem::path&) { throw Error("disk full"); }));
  EXPECT_EQ(read_text(folder_.last()), "second");
}

TEST_F(RunFolderTest, LinesOfStepsThatAreDoneAgainAreDropped) {
  write_file(folder_.metrics(), "{\"step\":10}\n{\"step\":20}\n{\"step\":30}\n{\"st");
  folder_.open_metrics(20).add({{"step", 25}});
  EXPECT_EQ(read_text(folder_.metrics()), "{\"step\":10}\n{\"step\":20}\n{\"step\":25}\n");
}

TEST_F(RunFolderTest, ALogOfFreezesThatWasCutOffAnywhereGoesOn) {
  const std::string header = "step,layer,neuron,slot,opcode,score,entropy\n", row = "10,conv1,0,3,3,-1,0.5\n";
  for (std::size_t length = 0; length <= header.size() + row.size(); ++length) {
    write_file(folder_.freezes(), (header + row).substr(0, length));
    folder_.open_freezes(10);
    const bool whole = length == header.size() + row.size();
    EXPECT_EQ(read_text(folder_.freezes()), whole ? header + row : header) << length;
  }
}

TEST_F(RunFolderTest, WithoutAnyReadableCheckpointThereIsASentence) {
  EXPECT_FALSE(folder_.newest([](std::string_view) {}));
  write_file(folder_.last(), "damaged");
  EXPECT_THAT(error_of([&] { folder_.newest([](std::string_view) {}); }), HasSubstr("no other checkpoint is left"));
}

}  // namespace
}  // namespace firn
