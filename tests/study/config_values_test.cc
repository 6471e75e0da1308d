#include "firn/study/config_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_config.h"

namespace firn {
namespace {

TEST(ConfigValues, HoldEveryKeyInTheOrderOfTheText) {
  Config config;
  const std::vector<KeyValue> values = values_of(config);
  const std::vector<std::string> names = describe(config).key_names();
  ASSERT_EQ(values.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(values[i].key, names[i]);
  EXPECT_EQ(values[1].value, "1");
}

TEST(FirstDifference, NamesTheKeyAndBothValues) {
  const Config one = small_config("task", 5);
  Config other = one;
  EXPECT_FALSE(first_difference(one, other));
  other.train.keep_at = {7};
  other.freeze.strategy = "cage";
  const auto difference = first_difference(one, other);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->key, "train.keep_at");
  EXPECT_EQ(difference->first, "[]");
  EXPECT_EQ(difference->second, "[7]");
}

TEST(FirstDifference, OfAStoredTextIsAboutValues) {
  const Config defaults;
  EXPECT_FALSE(first_difference(read_stored_config("", "old.toml"), defaults));
  EXPECT_FALSE(first_difference(read_stored_config("[train]  # remark\ntemperature = 1\nsteps = 20_000\n", "old.toml"),
                                defaults));
  EXPECT_EQ(first_difference(read_stored_config("train.steps = 7\n", "old.toml"), defaults)->key, "train.steps");
}

TEST(FirstDifference, WhatIsNotUnderstoodDiffers) {
  const Config defaults;
  const auto value = first_difference(read_stored_config("[freeze]\nstrategy = 'lost'\n", "old.toml"), defaults);
  EXPECT_EQ(value->key, "freeze.strategy");
  EXPECT_EQ(value->first, "\"lost\"");
  EXPECT_EQ(value->second, "\"final-argmax\"");
  const auto key = first_difference(read_stored_config("[train]\nmagic = 3\n", "old.toml"), defaults);
  EXPECT_EQ(key->key, "train.magic");
  EXPECT_EQ(key->first, "3");
  EXPECT_EQ(key->second, "not a key of this version");
}

TEST(Fingerprint, FollowsValuesThatAreNotDefaults) {
  Config config;
  const std::string plain = fingerprint(config);
  EXPECT_EQ(plain.size(), 16u);
  config.seed = 2;
  EXPECT_NE(fingerprint(config), plain);
}

}  // namespace
}  // namespace firn
