#include "firn/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace firn {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::SizeIs;
using testing::StartsWith;

struct Fixture {
  double now = 0;
  std::vector<std::string> written;
  Progress::Clock clock = [this] { return now; };

  Screen screen(std::size_t columns) {  // 0: not a terminal
    Screen screen;
    screen.write = [this](std::string_view text) { written.emplace_back(text); };
    if (columns > 0) screen.columns = [columns] { return columns; };
    return screen;
  }
};

TEST(ProgressPrinter, TerminalShowsOneChangingLineTenTimesASecond) {
  Fixture f;
  Progress progress("step", 1000, f.clock);
  {
    ProgressPrinter printer(f.screen(80), f.clock);
    for (std::uint64_t i = 1; i <= 500; ++i) {
      f.now += 0.001;
      progress.update(i);
      printer.show(progress);
    }
  }
  EXPECT_GE(f.written.size(), 5u);
  EXPECT_LE(f.written.size(), 7u);
  EXPECT_THAT(f.written.front(), StartsWith("\rstep 1/1,000"));
  EXPECT_THAT(f.written.front(), EndsWith("\x1b[K"));
  EXPECT_EQ(f.written.back(), "\n");
}

TEST(ProgressPrinter, LineStaysWithinTheTerminal) {
  Fixture f;
  const Progress progress("step", 1000, f.clock);
  ProgressPrinter printer(f.screen(10), f.clock);
  printer.show(progress);
  EXPECT_THAT(f.written, ElementsAre("\rstep 0/1…\x1b[K"));
}

TEST(ProgressPrinter, OtherOutputsGetPlainLinesNowAndThen) {
  Fixture f;
  Progress progress("step", 100, f.clock);
  {
    ProgressPrinter printer(f.screen(0), f.clock);
    for (std::uint64_t i = 0; i <= 100; ++i) {
      f.now = static_cast<double>(i);
      progress.update(i);
      printer.show(progress, "x");
    }
  }
  ASSERT_THAT(f.written, SizeIs(5));  // at 0, 30, 60 and 90 seconds, and the end
  for (const std::string& line : f.written) EXPECT_THAT(line, EndsWith("x\n"));
  EXPECT_THAT(f.written.back(), StartsWith("step 100/100  100 %"));
}

}  // namespace
}  // namespace firn
