#include "firn/base/family.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

struct Animal {
  std::string_view name;
  int legs;
};
constexpr std::array kAnimals = {Animal{"cat", 4}, Animal{"hen", 2}, Animal{"ant", 6}};

TEST(Family, FindsTheEntryItself) {
  EXPECT_EQ(&entry_named("hen", kAnimals, "animal"), &kAnimals[1]);
}

TEST(Family, AnUnknownNameIsAnsweredWithAllNames) {
  EXPECT_EQ(error_of([] { entry_named("dog", kAnimals, "animal"); }),
            "there is no animal \"dog\"; choose cat, hen or ant");
  EXPECT_EQ(error_of([] { entry_named("dog", std::span(kAnimals).first(1), "animal"); }),
            "there is no animal \"dog\"; choose cat");
}

TEST(Family, ListsNamesAsASentenceDoes) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(listed(names), "a or b");
  EXPECT_EQ(listed({}), "");
}

}  // namespace
}  // namespace firn
