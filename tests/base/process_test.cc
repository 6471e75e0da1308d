#include "firn/base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TEST(RunProgram, KillsAProgramThatTakesTooLongAndWhatItStarted) {
  const TemporaryFolder folder;
  // The inner shell would write the file a second after it was started.
  const ProgramResult result =
      run_program({"sh", "-c", "echo begun; sh -c 'sleep 1; touch late' & sleep 60"}, folder.path(), {.seconds = 0.3});
  EXPECT_EQ(result.end, ProgramResult::End::kTimedOut);
  EXPECT_EQ(result.output, "begun");
  EXPECT_EQ(result.exit_code, 128 + 9);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "late"));
}

TEST(RunProgram, AsksWhetherItMayGoOn) {
  int asked = 0;
  const ProgramResult result = run_program({"sleep", "60"}, ".", {.may_go_on = [&] { return ++asked < 3; }});
  EXPECT_EQ(result.end, ProgramResult::End::kStopped);
  EXPECT_EQ(asked, 3);
}

TEST(RunProgram, WithinItsLimitsAProgramEndsAsWithoutThem) {
  const ProgramResult result =
      run_program({"sh", "-c", "echo out; exit 5"}, ".", {.seconds = 60, .may_go_on = [] { return true; }});
  EXPECT_EQ(result.end, ProgramResult::End::kExited);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.output, "out");
}

TEST(RunProgram, PassesVariablesOnTopOfOurs) {
  EXPECT_EQ(run_program({"sh", "-c", "echo $HOME $SNOW"}, ".", {}, {"HOME=ice", "SNOW=old"}).output, "ice old");
  EXPECT_NE(run_program({"sh", "-c", "echo $PATH"}, ".", {}, {"SNOW=old"}).output, "");
}

TEST(FindProgram, LooksAlongThePath) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
}

}  // namespace
}  // namespace firn
