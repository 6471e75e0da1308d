#include "firn/theory/sequential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firn/theory/assignments.h"
#include "firn/theory/bounds.h"
#include "firn/theory/completions.h"
#include "firn/theory/relaxed.h"
#include "firn/theory/small_models.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

struct Small {
  Population population;
  SmallNetwork network;

  Small(const SmallModelSettings& model, const PopulationSettings& task)
      : population(make_population(task)), network(make_small_network(model, population.inputs)) {}
  Problem problem(const char* loss) const { return {network, population, reference::loss_formulas(loss)}; }
};

TEST(Sequential, ConditionalExpectationsNeverRiseInAnyOrder) {
  for (const char* task : {"parity", "majority", "teacher", "monks-1"})
    for (std::string_view order : neuron_orders()) {
      const Small small({.widths = {3, 2, 1}, .seed = 11}, {.task = task, .inputs = 5});
      const Problem problem = small.problem("bce");
      const CountTable counts(problem);
      const Distribution q = small.network.distribution();
      const auto selection = fix_in_order(q, neuron_order(order, q, 4), conditional_expectation(problem, counts));
      double before = expected_risk(problem, counts, q);
      for (const SelectionStep& step : selection.steps) {
        const double risk = step.chosen().mean;
        EXPECT_LE(risk, before + 1e-12) << task << " " << order;
        before = risk;
      }
      EXPECT_NEAR(discrete_risk(problem, counts, selection.gates), before, 1e-12);
    }
}

// The output is constant: no gate before it makes a difference.
TEST(Sequential, GatesThatAreIgnoredStayAtTheirLikeliest) {
  const Small small({.widths = {2, 1}, .seed = 11}, {.inputs = 4});
  const Problem problem = small.problem("bce");
  const CountTable counts(problem);
  Distribution q = small.network.distribution();
  q[2] = all_on(Gate::kTrue);
  q[0] = {};
  q[0][6] = 0.4;
  q[0][9] = 0.6;
  const Distribution scores = first_order_scores(problem, q);
  for (double score : scores[0]) EXPECT_EQ(score, 0);
  EXPECT_EQ(bound_neuron(problem, counts, q, 0).first_order, 9u);
  EXPECT_EQ(fix_in_order(q, {0}, first_order(problem)).steps[0].gate, static_cast<Gate>(9));
}

TEST(Sequential, OrdersVisitEveryNeuronOnce) {
  const Small small({.widths = {4, 3}}, {.inputs = 4});
  const Distribution q = small.network.distribution();
  for (std::string_view name : neuron_orders()) {
    auto order = neuron_order(name, q, 9);
    const auto certainty = [&](std::size_t n) { return std::ranges::max(q[n]); };
    EXPECT_TRUE(name != "certain-first" || std::ranges::is_sorted(order, std::ranges::greater(), certainty));
    std::ranges::sort(order);
    for (std::size_t n = 0; n < order.size(); ++n) EXPECT_EQ(order[n], n) << name;
    EXPECT_EQ(order.size(), 7u);
  }
  EXPECT_NE(error_of([&] { neuron_order("sideways", q, 1); }).find("input-first"), std::string::npos);
}

// Scores from the gradient against their definition: the derivative of the risk towards each gate.
TEST(Relaxed, FirstOrderScoresAreDirectionalDerivatives) {
  const Small small({.widths = {3, 2}, .loss = "cross-entropy"}, {.task = "majority", .inputs = 3, .noise = 0.2});
  const Problem problem = small.problem("cross-entropy");
  const Distribution q = small.network.distribution(), scores = first_order_scores(problem, q);
  constexpr double kStep = 1e-5;
  for (std::size_t n = 0; n < q.size(); ++n)
    for (std::size_t k = 0; k < kSlots; ++k) {
      double risk[2];
      for (int side : {0, 1}) {
        Distribution moved = q;
        const double t = side == 0 ? -kStep : kStep;
        for (double& weight : moved[n]) weight *= 1 - t;
        moved[n][k] += t;
        risk[side] = relaxed_risk(problem, moved);
      }
      EXPECT_NEAR(scores[n][k], (risk[1] - risk[0]) / (2 * kStep), 1e-8) << n << " " << k;
    }
}

TEST(MonteCarlo, IsWithinItsStatedErrorOfTheExactValue) {
  for (const char* kind : {"dense", "shared"}) {
    const Small small({.kind = kind, .widths = {3, 2}, .trees = 2, .depth = 1, .spread = 1}, {.inputs = 9});
    const Problem problem = small.problem("bce");
    const CountTable counts(problem);
    const Distribution q = small.network.distribution();
    const MonteCarlo how{.draws = 4000, .seed = 3};
    const MonteCarloEstimate mean = estimate_expected_risk(problem, counts, q, how);
    EXPECT_GT(mean.error, 0);
    EXPECT_NEAR(mean.mean, expected_risk(problem, counts, q), 4 * mean.error) << kind;
    const auto estimates = estimate_conditional_risks(problem, counts, q, 1, how);
    const GateWeights exact = conditional_risks(problem, counts, q, 1);
    for (std::size_t k = 0; k < kSlots; ++k)
      EXPECT_NEAR(estimates[k].mean, exact[k], 4.5 * estimates[k].error + 1e-12) << kind << " " << k;
  }
}

TEST(MonteCarlo, ErrorShrinksWithTheRootOfTheDraws) {
  const Small small({.widths = {3, 2}, .spread = 1}, {.inputs = 4});
  const Problem problem = small.problem("bce");
  const CountTable counts(problem);
  const Distribution q = small.network.distribution();
  const double few = estimate_expected_risk(problem, counts, q, {.draws = 500, .seed = 1}).error;
  const double many = estimate_expected_risk(problem, counts, q, {.draws = 50000, .seed = 1}).error;
  EXPECT_NEAR(few / many, 10, 1.5);
}

TEST(Problem, SamplesThatTheNetworkCannotTellApartAreOne) {
  const Small small({.widths = {2, 1}, .seed = 2}, {.task = "monks-2", .noise = 0.1});
  const Problem whole = small.problem("bce");
  const Population seen = as_seen_by(small.network.gates(), small.population);
  EXPECT_LE(seen.size(), 32u);
  EXPECT_NEAR(std::accumulate(seen.weights.begin(), seen.weights.end(), 0.0), 1, 1e-12);
  const Problem part{small.network, seen, whole.loss};
  const Distribution q = small.network.distribution();
  EXPECT_NEAR(relaxed_risk(whole, q), relaxed_risk(part, q), 1e-12);
  EXPECT_NEAR(expected_risk(whole, CountTable(whole), q), expected_risk(part, CountTable(part), q), 1e-12);
}

}  // namespace
}  // namespace firn
