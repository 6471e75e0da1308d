#include "firn/discretize/freezer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/model/build.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ResolveScope, MeansConvolutionsOrAllButTheLast) {
  const auto dense = build_model({.family = "dense", .width = 4, .layers = 3}, {4}, 2, 1);
  EXPECT_THAT(resolve_scope(*dense, {"auto"}), ElementsAre(0, 1));
  EXPECT_THAT(resolve_scope(*dense, {"all"}), ElementsAre(0, 1, 2));
  EXPECT_TRUE(resolve_scope(*dense, {"conv"}).empty());
  const auto compact = build_model({.family = "compact", .width = 2}, {1, 28, 28}, 10, 1);
  EXPECT_THAT(resolve_scope(*compact, {"auto"}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(resolve_scope(*compact, {"fc1", "conv2"}), ElementsAre(1, 4));
}

TEST(ResolveScope, NamesWhatTheModelHas) {
  const auto dense = build_model({.family = "dense", .width = 4, .layers = 2}, {4}, 2, 1);
  EXPECT_THAT(error_of([&] { resolve_scope(*dense, {"conv7"}); }),
              HasSubstr("\"conv7\", but the model has only fc1, fc2"));
}

TEST(Freezer, TellsTheOpcodeOfASlotLayer) {
  const auto compact = build_model({.family = "compact", .width = 2}, {1, 28, 28}, 10, 1);
  compact->neurons()[0]->opcodes[1 * kSlots + 5] = 9;
  Freezer freezer(*compact, {0});
  FreezeEvent seen{};
  freezer.on_freeze = [&](const FreezeEvent& event) { seen = event; };
  freezer.freeze(7, 0, 1, 5, -0.25, 0.5);
  EXPECT_EQ(seen.gate, Gate::kXnor);
  EXPECT_EQ(seen.layer, "conv1");
  EXPECT_TRUE(freezer.is_frozen(0, 1));
  EXPECT_FALSE(freezer.is_frozen(0, 0));
}

}  // namespace
}  // namespace firn
