#include "firn/theory/decomposition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/theory/assignments.h"
#include "firn/theory/relaxed.h"
#include "firn/theory/small_models.h"

namespace firn {
namespace {

TEST(Gaps, HaveTheirSignsAndAddUp) {
  for (const char* loss : {"bce", "squared", "cross-entropy"})
    for (const char* task : {"parity", "majority", "teacher"})
      for (const std::size_t steps : {0, 100}) {
        const Population population = make_population({.task = task, .inputs = 3, .noise = 0.15});
        const SmallNetwork network =
            make_small_network({.widths = {1, 2}, .loss = loss, .scale = 3, .seed = 5}, population.inputs);
        const Problem problem{network, population, reference::loss_formulas(loss)};
        const CountTable counts(problem);
        const Distribution trained = fit(problem, network.distribution(), {.steps = steps});
        const GapDecomposition gaps = measure_gaps(problem, counts, trained, 4, 1);
        EXPECT_GE(gaps.train(), -1e-12) << loss << " " << task;
        EXPECT_LE(gaps.relaxation(), 1e-12) << loss << " " << task;
        EXPECT_GE(gaps.optimality(), -1e-12) << loss << " " << task;
        EXPECT_NEAR(gaps.train() + gaps.relaxation() + gaps.discretization(), gaps.optimality(), 1e-12);
        EXPECT_LE(gaps.relaxed_bound, gaps.best_relaxed + 1e-9) << loss << " " << task;
      }
}

// With one layer the relaxed risk is convex: the descent must arrive, and the tangent proves it.
TEST(Gaps, OneLayerOptimumIsProved) {
  for (const char* loss : {"bce", "squared", "cross-entropy"}) {
    const Population population = make_population({.task = "majority", .inputs = 3, .noise = 0.3});
    const SmallNetwork network = make_small_network({.widths = {4}, .loss = loss, .seed = 2}, population.inputs);
    const Problem problem{network, population, reference::loss_formulas(loss)};
    const RelaxedOptimum optimum = find_relaxed_optimum(problem, {network.distribution()}, 1, 1);
    EXPECT_LT(optimum.risk - optimum.lower_bound, 1e-6) << loss;
    EXPECT_GE(optimum.risk, optimum.lower_bound - 1e-12) << loss;
    EXPECT_NEAR(relaxed_risk(problem, optimum.q), optimum.risk, 1e-12);
  }
}

// XOR of two bits by one gate: the best possible prediction for each input is reached, which the other bound proves.
TEST(Gaps, AGateThatSolvesTheTaskMeetsTheBoundByInputs) {
  const Population population = make_population({.task = "parity", .inputs = 2, .noise = 0.01});
  const SmallNetwork network = make_small_network({.widths = {1}, .scale = 4}, population.inputs);
  const Problem problem{network, population, reference::loss_formulas("bce")};
  const RelaxedOptimum optimum = find_relaxed_optimum(problem, {network.distribution()}, 5, 1);
  const double z = 2, expected = std::log1p(std::exp(-z)) + 0.01 * z;  // scores are -2 and 2
  EXPECT_NEAR(optimum.risk, expected, 1e-9);
  EXPECT_NEAR(optimum.lower_bound, expected, 1e-9);
}

TEST(Fit, LowersTheRelaxedRisk) {
  const Population population = make_population({.task = "teacher", .inputs = 4});
  const SmallNetwork network = make_small_network({.widths = {4, 2}, .seed = 8}, population.inputs);
  const Problem problem{network, population, reference::loss_formulas("bce")};
  const Distribution q = network.distribution();
  EXPECT_LT(relaxed_risk(problem, fit(problem, q, {.steps = 100})), relaxed_risk(problem, q) - 0.05);
}

}  // namespace
}  // namespace firn
