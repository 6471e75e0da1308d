#include "firn/base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

TEST(RunProgram, GivesOutputOfBothKindsAndTheExitCode) {
  const ProgramResult result = run_program({"sh", "-c", "echo out; echo err >&2; exit 5"}, ".");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.output, "out\nerr");
}

TEST(RunProgram, RunsInTheFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"pwd", "-P"}, folder.path()).output, std::filesystem::canonical(folder.path()).string());
}

TEST(RunProgram, ArgumentsAreNotInterpreted) {
  EXPECT_EQ(run_program({"echo", "a b", "$HOME;*"}, ".").output, "a b $HOME;*");
}

TEST(RunProgram, AMissingProgramIsAResult) {
  const ProgramResult result = run_program({"no-such-program-anywhere"}, ".");
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.output, testing::HasSubstr("no-such-program-anywhere"));
}

}  // namespace
}  // namespace firn
