#include "firn/cli/report_hint.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(ReportHint, NamesACommandThatAShellUnderstands) {
  EXPECT_EQ(report_hint("runs/a"), "Draw it: firn report runs/a -o runs/a/report.html");
  EXPECT_EQ(report_hint("my runs/it's"), "Draw it: firn report 'my runs/it'\\''s' -o 'my runs/it'\\''s/report.html'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$(ls)"), "'$(ls)'");
}

}  // namespace
}  // namespace firn
