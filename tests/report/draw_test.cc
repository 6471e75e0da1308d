#include "firn/report/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two layers on three inputs; the second output of the last one ignores what it reads second.
BooleanNetwork small_network() {
  BooleanNetwork network;
  network.input = {3, 1, 1};
  network.layers = {boolean_dense("<fc1>", 3, {0, 1, 1, 2}, {Gate::kXor, Gate::kAnd}),
                    boolean_dense("fc2", 2, {0, 1, 0, 1}, {Gate::kOr, Gate::kA})};
  network.head = {.groups = 2};
  return network;
}

TEST(Draw, FiltersNameTheirGatesAndKeepNamesText) {
  const std::string picture = draw(small_network(), {});
  EXPECT_THAT(picture, HasSubstr(">xor</text>"));
  EXPECT_THAT(picture, HasSubstr("&lt;fc1&gt;"));
  EXPECT_THAT(picture, Not(HasSubstr("<fc1>")));
}

TEST(Draw, ViewsHoldOnlyWhatAnOutputDependsOn) {
  EXPECT_THAT(draw(small_network(), {.view = 0}), HasSubstr("output 0 can see 3 of 3 bits"));
  EXPECT_THAT(draw(small_network(), {.view = 1}), HasSubstr("output 1 can see 2 of 3 bits"));
}

TEST(Draw, RefusesWhatThereIsNot) {
  const BooleanNetwork network = small_network();
  EXPECT_THAT(error_or_none([&] { draw(network, {.layer = "conv1"}); }), HasSubstr("there is no layer conv1"));
  EXPECT_THAT(error_or_none([&] { draw(network, {.cone = 2}); }), HasSubstr("there is no output 2"));
  EXPECT_THAT(error_or_none([&] { draw(network, {.cone = 0, .view = 0}); }), HasSubstr("choose one"));
}

}  // namespace
}  // namespace firn
