#include "firn/cli/commands/set_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/cli/usage_error.h"

namespace firn {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;

TEST(ParseOverride, SplitsAtTheFirstEqualsSign) {
  const Override override = parse_override("name=a=b");
  EXPECT_EQ(override.key, "name");
  EXPECT_EQ(override.value, "a=b");
  EXPECT_EQ(override.origin, "--set name=a=b");
}

TEST(ParseOverride, WhatIsNoPairIsAUsageError) {
  EXPECT_THAT([] { parse_override("seed"); }, ThrowsMessage<UsageError>(StartsWith("--set seed: write KEY=VALUE")));
  EXPECT_THAT([] { parse_override("=1"); }, ThrowsMessage<UsageError>(StartsWith("--set =1: write KEY=VALUE")));
}

}  // namespace
}  // namespace firn
