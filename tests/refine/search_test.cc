#include "firn/refine/search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/refine/refine_case.h"
#include "tests/support/each_target.h"

namespace firn {
namespace {

// Prices random sets of rows of random gates and compares with two whole evaluations by another evaluator.
void expect_exact_effects(RefineCase& c, int moves, std::uint64_t seed, const std::string& what) {
  Threads threads(2);
  FittingSet set(c.plan, c.loss, c.fitting(), 1, 1);
  set.draw(1, threads);
  Search search(c.plan, c.loss, set, threads);
  RandomSequence random(seed, "test/moves");
  const double before = c.whole_loss(c.network);
  for (int i = 0; i < moves; ++i) {
    const Move move = c.random_move(random);
    const double effect = search.price({&move, 1}).front().mean();
    PlanLayer& layer = c.plan.layers[move.layer];
    std::uint8_t& number = layer.numbers[move.unit * layer.gates + move.gate];
    number ^= move.flip;
    const double expected = (c.whole_loss(c.current()) - before) / static_cast<double>(c.indices.size());
    number ^= move.flip;
    ASSERT_NEAR(effect, expected, 1e-9) << what << " layer " << move.layer << " unit " << move.unit << " gate "
                                        << int{move.gate} << " flip " << int{move.flip};
  }
}

BooleanNetwork with_one_group(BooleanNetwork network) {
  network.head = {.groups = 1, .factor = 0.5f, .offset = -1};
  return network;
}

TEST(Search, EffectsEqualWholeEvaluationsOnEveryTarget) {
  each_target([](const char* target) {
    const std::string what = target;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      RefineCase trees(random_network(seed), 150);
      expect_exact_effects(trees, 8, seed, what + " network " + std::to_string(seed));
    }
    RefineCase matched(matched_network(96, 3, 2), 700);
    expect_exact_effects(matched, 40, 1, what + " matched");
    RefineCase meshed(meshed_network(3), 700);
    expect_exact_effects(meshed, 40, 1, what + " meshed");
    RefineCase squared(matched_network(96, 3, 4), 100, "squared");
    expect_exact_effects(squared, 20, 1, what + " squared");
    RefineCase bce(with_one_group(random_network(5)), 100, "bce");
    expect_exact_effects(bce, 20, 1, what + " bce");
  });
}

TEST(Search, RowsOfAGatePlacedOnceAddUp) {
  RefineCase c(matched_network(96, 3, 2), 700);
  Threads threads(1);
  FittingSet set(c.plan, c.loss, c.fitting(), 1, 1);
  set.draw(1, threads);
  Search search(c.plan, c.loss, set, threads);
  for (std::uint8_t gate = 0; gate < 7; ++gate) {
    std::vector<Move> moves = {{0, 5, gate, 15}};
    for (std::uint8_t flip = 1; flip < 16; flip = static_cast<std::uint8_t>(2 * flip))
      moves.push_back({0, 5, gate, flip});
    const std::vector<Effect> effects = search.price(moves);
    EXPECT_NEAR(effects[0].sum, effects[1].sum + effects[2].sum + effects[3].sum + effects[4].sum, 1e-9);
  }
}

TEST(Search, TheKeptStateEqualsAFreshEvaluation) {
  for (const BooleanNetwork& network : {random_network(11), matched_network(96, 3, 2), meshed_network(3)}) {
    RefineCase c(network, 700);
    Threads threads(2);
    FittingSet set(c.plan, c.loss, c.fitting(), 1, 1);
    set.draw(1, threads);
    Search search(c.plan, c.loss, set, threads);
    const double before = search.loss().loss;
    double promised = 0;
    std::size_t accepted = 0;
    for (const PricedMove& made : search.improve(c.all_row_flips(), {true, 0.5})) {
      promised += made.effect.sum;
      ++accepted;
    }
    EXPECT_GT(accepted, 0u);
    EXPECT_LT(search.loss().loss, before);
    EXPECT_NEAR(search.loss().loss, before + promised, 1e-8);
    EXPECT_NEAR(search.loss().loss, c.whole_loss(c.current()), 1e-8);
  }
}

TEST(Search, ResultsDoNotDependOnThreads) {
  std::vector<std::vector<std::uint8_t>> gates;
  std::vector<double> sums;
  for (int count : {1, 2, 8}) {
    RefineCase c(random_network(11), 3000);
    Threads threads(count);
    FittingSet set(c.plan, c.loss, c.fitting(), 1, 1);
    set.draw(1, threads);
    Search search(c.plan, c.loss, set, threads);
    double sum = 0;
    for (const PricedMove& made : search.improve(c.all_row_flips(), {true, 0.5})) sum += made.effect.sum;
    gates.emplace_back();
    for (const PlanLayer& layer : c.plan.layers)
      gates.back().insert(gates.back().end(), layer.numbers.begin(), layer.numbers.end());
    sums.push_back(sum);
  }
  EXPECT_EQ(gates[0], gates[1]);
  EXPECT_EQ(gates[0], gates[2]);
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

TEST(Search, CopiesOfAnImageAreNoNewEvidence) {
  RefineCase c(matched_network(96, 3, 2), 700);  // without augmentation all copies are equal
  Threads threads(1);
  std::vector<Effect> effects;
  for (std::size_t copies : {1, 4}) {
    FittingSet set(c.plan, c.loss, c.fitting(), copies, 1);
    set.draw(1, threads);
    const Move move{0, 5, 3, 4};
    effects.push_back(Search(c.plan, c.loss, set, threads).price({&move, 1}).front());
  }
  EXPECT_GT(effects[0].error(), 0);
  EXPECT_NEAR(effects[0].mean(), effects[1].mean(), 1e-12);
  EXPECT_NEAR(effects[0].error(), effects[1].error(), 1e-12);
}

TEST(Search, CopiesAreDrawnAnewForEverySweep) {
  BooleanNetwork network = matched_network(96, 3, 2);
  network.input = {5, 2, 2};
  RefineCase c(network, 700, "cross-entropy", "flip-crop");
  Threads threads(2);
  FittingSet set(c.plan, c.loss, c.fitting(), 3, 1);
  Search search(c.plan, c.loss, set, threads);
  std::vector<double> losses;
  for (std::uint32_t sweep : {1, 2, 1}) {
    set.draw(sweep, threads);
    losses.push_back(search.loss().loss);
  }
  EXPECT_NE(losses[0], losses[1]);
  EXPECT_EQ(losses[0], losses[2]);
  const std::vector<PricedMove> made = search.improve(c.all_row_flips(), {true, 0.5});
  ASSERT_FALSE(made.empty());
  const double kept = search.loss().loss;
  set.draw(1, threads);  // everything anew, with the gates as they are now
  EXPECT_NEAR(kept, search.loss().loss, 1e-8);
}

TEST(Search, RacingKeepsWhatTheWholeSetWouldAccept) {
  RefineCase c(matched_network(192, 3, 6), 8000);
  Threads threads(2);
  FittingSet set(c.plan, c.loss, c.fitting(), 1, 1);
  set.draw(1, threads);
  Search search(c.plan, c.loss, set, threads);
  const std::vector<Move> moves = c.all_row_flips();
  const Bar bar{true, 2};
  std::size_t passing = 0;
  for (const Effect& effect : search.price(moves)) passing += bar.is_passed_by(effect);
  const std::size_t found = search.race(moves, bar).size();
  EXPECT_GT(passing, 10u);
  EXPECT_LE(found, passing);
  EXPECT_GE(found, passing - passing / 10);
}

TEST(Search, RemovalsTurnGatesIntoConstantsAndWires) {
  RefineCase c(matched_network(96, 3, 2), 700);
  std::vector<Move> moves;
  append_removals(c.plan.layers[0], 0, 4, moves);
  ASSERT_FALSE(moves.empty());
  for (const Move& move : moves) {
    const auto now = static_cast<Gate>(c.plan.layers[0].numbers[4 * 7 + move.gate]);
    const auto then = static_cast<Gate>(static_cast<std::uint8_t>(now) ^ move.flip);
    EXPECT_TRUE(depends_on_a(now) && depends_on_b(now));
    EXPECT_FALSE(depends_on_a(then) && depends_on_b(then));
  }
}

}  // namespace
}  // namespace firn
