#include "firn/synth/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

TEST(Workbench, KeepsFilesAsLongAsItLives) {
  const WorkbenchSettings settings;
  std::filesystem::path folder;
  {
    const Workbench bench(settings);
    folder = bench.folder();
    bench.write("a.txt", "snow\n");
    EXPECT_EQ(bench.run({"cat", "a.txt"}), "snow");
    EXPECT_EQ(bench.read("a.txt"), "snow\n");
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Workbench, SaysHowAProgramFailed) {
  const WorkbenchSettings settings;
  const Workbench bench(settings);
  EXPECT_THAT(error_of([&] {
                bench.run({"sh", "-c", "echo first; echo last words; exit 4"});
              }),
              HasSubstr("sh failed with exit code 4: last words"));
  EXPECT_THAT(error_of([&] { bench.run({"no-such-tool"}); }), HasSubstr("no-such-tool"));
}

TEST(Workbench, EndsWhatTakesTooLong) {
  const WorkbenchSettings settings{.seconds = 0.2};
  const Workbench bench(settings);
  EXPECT_THROW(bench.run({"sleep", "60"}), TimedOut);
}

TEST(Workbench, EndsWhatIsNoLongerWanted) {
  const WorkbenchSettings settings{.may_go_on = [] { return false; }};
  const Workbench bench(settings);
  EXPECT_THROW(bench.run({"sleep", "60"}), Stopped);
}

}  // namespace
}  // namespace firn
