#include "firn/refine/flips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refine/refine_case.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

NetworkFlips flips_of(const RefineCase& c, const std::string& loss, const FlipParams& params = {}, int workers = 2) {
  Threads threads(workers);
  return measure_flips(c.network, loss_from_name(loss), c.fitting(), params, threads);
}

// Every row of every gate, against a whole evaluation by another evaluator.
void expect_exact_flips(const RefineCase& c, const std::string& loss, const std::string& what) {
  const NetworkFlips flips = flips_of(c, loss);
  const auto examples = static_cast<double>(c.indices.size());
  const double before = c.whole_loss(c.network) / examples;
  EXPECT_NEAR(flips.risk.loss, before, 1e-9) << what;
  std::size_t i = 0;
  for (std::uint32_t l = 0; l < c.network.layers.size(); ++l)
    for (std::uint32_t g = 0; g < c.network.layers[l].gates.size(); ++g, ++i) {
      ASSERT_EQ(flips.gates[i].place, (GatePlace{l, g})) << what;
      ASSERT_EQ(flips.gates[i].gate, c.network.layers[l].gates[g]) << what;
      for (std::size_t row = 0; row < kTableRows; ++row) {
        BooleanNetwork flipped = c.network;
        flipped.layers[l].gates[g] = with_flipped_row(flipped.layers[l].gates[g], row);
        const Effect& effect = flips.gates[i].effects[row];
        ASSERT_EQ(effect.images, c.indices.size());
        ASSERT_NEAR(effect.mean(), c.whole_loss(flipped) / examples - before, 1e-9)
            << what << " layer " << l << " gate " << g << " row " << row;
      }
    }
  EXPECT_EQ(i, flips.gates.size());
}

TEST(Flips, EqualWholeEvaluations) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    expect_exact_flips(RefineCase(random_network(seed), 60), "cross-entropy", "network " + std::to_string(seed));
  expect_exact_flips(RefineCase(matched_network(48, 3, 2), 600), "cross-entropy", "fused layers");
  expect_exact_flips(RefineCase(meshed_network(3), 100), "cross-entropy", "meshed");
  expect_exact_flips(RefineCase(matched_network(48, 3, 4), 60, "squared"), "squared", "squared loss");
}

TEST(Flips, RowsAreNumberedByTheirOperands) {
  for (int g = 0; g < 16; ++g)
    for (std::size_t row = 0; row < kTableRows; ++row)
      for (bool a : {false, true})
        for (bool b : {false, true}) {
          const auto gate = static_cast<Gate>(g);
          EXPECT_EQ(eval(with_flipped_row(gate, row), a, b) != eval(gate, a, b), row == 2u * a + b);
        }
}

TEST(Flips, ExamplesThatDoNotFitTakeTurns) {
  const RefineCase c(matched_network(96, 3, 2), 1300);
  const NetworkFlips whole = flips_of(c, "cross-entropy");
  std::vector<std::uint64_t> reports;
  std::uint64_t total = 0;
  const NetworkFlips turns = flips_of(c, "cross-entropy", {.memory = 1, .on_progress = [&](auto done, auto all) {
                                                             reports.push_back(done);
                                                             total = all;
                                                           }});
  EXPECT_GE(reports.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(reports));
  EXPECT_EQ(reports.back(), total);
  EXPECT_NEAR(turns.risk.loss, whole.risk.loss, 1e-12);
  EXPECT_EQ(turns.risk.accuracy, whole.risk.accuracy);
  for (std::size_t i = 0; i < whole.gates.size(); ++i)
    for (std::size_t row = 0; row < kTableRows; ++row) {
      const Effect &a = whole.gates[i].effects[row], &b = turns.gates[i].effects[row];
      ASSERT_EQ(b.images, 1300u);
      ASSERT_NEAR(a.mean(), b.mean(), 1e-12);
      ASSERT_NEAR(a.error(), b.error(), 1e-12);
    }
}

TEST(Flips, DoNotDependOnThreads) {
  const RefineCase c(random_network(11), 1300);
  const NetworkFlips one = flips_of(c, "cross-entropy", {}, 1);
  for (int workers : {2, 8}) {
    const NetworkFlips many = flips_of(c, "cross-entropy", {}, workers);
    for (std::size_t i = 0; i < one.gates.size(); ++i)
      for (std::size_t row = 0; row < kTableRows; ++row) {
        ASSERT_EQ(one.gates[i].effects[row].sum, many.gates[i].effects[row].sum);
        ASSERT_EQ(one.gates[i].effects[row].squares, many.gates[i].effects[row].squares);
      }
  }
}

TEST(Flips, RefuseNoExamples) {
  const RefineCase c(matched_network(48, 3, 2), 10);
  Threads threads(1);
  EXPECT_THAT(error_of([&] {
                measure_flips(c.network, loss_from_name("cross-entropy"), {c.data.train, {}, c.encoder, c.augmenter},
                              {}, threads);
              }),
              HasSubstr("at least one"));
}

}  // namespace
}  // namespace firn
