#include "firn/theory/small_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/theory/count_table.h"
#include "firn/theory/population.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::HasSubstr;

std::string complaint(SmallModelSettings settings) {
  return error_of([&] { make_small_network(settings, 4); });
}

TEST(SmallModels, WhatIsNotSmallIsRefusedBeforeItIsBuilt) {
  for (const std::vector<std::size_t>& widths :
       {std::vector{~std::size_t{0}}, {1'000'000'000}, {65536, 1}, {8, ~std::size_t{0} - 4}})
    EXPECT_THAT(complaint({.widths = widths}), HasSubstr("a small network has at most 65536 gates"));
  EXPECT_EQ(make_small_network({.widths = {1000, 2}}, 4).neurons(), 1002u);
}

TEST(SmallModels, CountsOfTwoClassesMustFitTheirTable) {
  EXPECT_THAT(complaint({.widths = {2048}, .loss = "cross-entropy"}), HasSubstr("choose a narrower last layer"));
  const Population population = make_population({.inputs = 4});
  const SmallNetwork network = make_small_network({.widths = {2046}, .loss = "cross-entropy"}, 4);
  EXPECT_EQ(CountTable({network, population, reference::loss_formulas("cross-entropy")}).size(), 1024u * 1024);
}

}  // namespace
}  // namespace firn
