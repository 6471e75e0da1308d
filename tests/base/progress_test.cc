#include "firn/base/progress.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(Progress, LineTellsRateAndRemainingTime) {
  double now = 100;
  Progress progress("step", 20000, [&] { return now; });
  EXPECT_EQ(progress.line(), "step 0/20,000  0 %");
  now += 20;
  progress.update(1000);
  EXPECT_EQ(progress.line("loss 1.23"), "step 1,000/20,000  5 %  50.0 steps/s  ETA 6m20s  loss 1.23");
}

TEST(Progress, RateFollowsTheLastHalfMinute) {
  double now = 0;
  Progress progress("step", 0, [&] { return now; });
  std::uint64_t done = 0;
  for (; now < 100; ++now) progress.update(done += 10);
  for (; now < 140; ++now) progress.update(done += 1);
  EXPECT_NEAR(progress.rate().value(), 1.0, 0.1);
}

TEST(Progress, ResumedWorkDoesNotCountAsFast) {
  double now = 0;
  Progress progress(
      "step", 1000, [&] { return now; }, 900);
  now = 10;
  progress.update(950);
  EXPECT_DOUBLE_EQ(progress.rate().value(), 5.0);
  EXPECT_DOUBLE_EQ(progress.seconds_left().value(), 10.0);
}

TEST(Progress, FinishedTellsTheWholeTime) {
  double now = 0;
  Progress progress("image", 3, [&] { return now; });
  now = 4;
  progress.update(3);
  EXPECT_TRUE(progress.finished());
  EXPECT_EQ(progress.line(), "image 3/3  100 %  0.75 images/s  in 4s");
}

TEST(Progress, UnknownTotalHasNoPercentage) {
  double now = 0;
  Progress progress("row", 0, [&] { return now; });
  now = 2;
  progress.update(5000);
  EXPECT_EQ(progress.line(), "row 5,000  2,500 rows/s");
  EXPECT_FALSE(progress.seconds_left().has_value());
}

TEST(FormatDuration, ShowsTwoUnits) {
  EXPECT_EQ(format_duration(0.4), "0s");
  EXPECT_EQ(format_duration(59.6), "1m00s");
  EXPECT_EQ(format_duration(456), "7m36s");
  EXPECT_EQ(format_duration(2 * 3600 + 5 * 60 + 59), "2h05m");
  EXPECT_EQ(format_duration(3 * 86400 + 4 * 3600), "3d04h");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

}  // namespace
}  // namespace firn
