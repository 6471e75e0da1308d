#include "firn/synth/tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(VersionOf, IsWhatInstalledToolsSay) {
  EXPECT_THAT(version_of(kYosys).value(), testing::MatchesRegex("Yosys [0-9.]+.*"));
  EXPECT_THAT(version_of(kAbc).value(), testing::HasSubstr("ABC"));
  EXPECT_THAT(version_of(kSta).value(), testing::MatchesRegex("[0-9.]+.*"));
  EXPECT_THAT(version_of(kNextpnr).value(), testing::HasSubstr("Version"));
}

TEST(VersionOf, IsNothingWhereAToolIsMissing) {
  constexpr Tool kMissing{"no-such-tool", "no-such-package", {"-V"}};
  EXPECT_FALSE(is_installed(kMissing));
  EXPECT_FALSE(version_of(kMissing));
  EXPECT_EQ(absence(kMissing), "no-such-tool is not installed (Debian package no-such-package)");
}

}  // namespace
}  // namespace firn
