#include "firn/theory/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/base/random.h"
#include "firn/theory/completions.h"
#include "firn/theory/curvature.h"
#include "firn/theory/random_networks.h"
#include "firn/theory/relaxed.h"
#include "firn/theory/small_models.h"

namespace firn {
namespace {

TEST(Interval, HoldsEveryResult) {
  RandomSequence random(3, "test/interval");
  const auto draw = [&] {
    const double x = 4 * random.uniform_double() - 2, y = 4 * random.uniform_double() - 2;
    return Interval(std::min(x, y), std::max(x, y));
  };
  for (int round = 0; round < 2000; ++round) {
    const Interval x = draw(), y = draw();
    const double a = x.low + (x.high - x.low) * random.uniform_double();
    const double b = y.low + (y.high - y.low) * random.uniform_double();
    EXPECT_TRUE((x + y).contains(a + b) && (x - y).contains(a - b) && (x * y).contains(a * b));
    EXPECT_TRUE(square(x).contains(a * a) && square(x).low >= 0);
    EXPECT_LE(std::abs(a), x.magnitude());
  }
}

struct Bent {
  const char* loss;
  SmallModelSettings model;
};

std::vector<Bent> bent_cases() {
  std::vector<Bent> cases;
  for (const char* loss : {"bce", "squared", "cross-entropy"}) {
    cases.push_back({loss, {.widths = {3, 3, 2}, .loss = loss, .scale = 6, .spread = 3, .seed = 4}});
    cases.push_back({loss, {.kind = "tree", .trees = 2, .depth = 2, .loss = loss, .scale = 6, .spread = 3}});
  }
  return cases;
}

// The loss with the output of a neuron replaced by `at`, by the model's own formulas: weight `at` on TRUE and none on
// gates that read anything.
template <class T>
T loss_at(const Problem& problem, const Distribution& q, std::size_t neuron, std::size_t sample, const T& at) {
  reference::Weights<T> weights;
  std::size_t n = 0;
  for (const auto& group : problem.network.weights(q)) {
    auto& row = weights.emplace_back(group.begin(), group.end());
    for (std::size_t i = 0; i < row.size() / kSlots; ++i, ++n)
      for (std::size_t k = 0; n == neuron && k < kSlots; ++k) row[i * kSlots + k] = k == 15 ? at : T(0);
  }
  const auto& bits = problem.population.bits[sample];
  const auto scores = problem.network.formulas().forward(weights, {bits.begin(), bits.end()}).back();
  const std::size_t label = problem.population.labels[sample];
  if (problem.loss.name == "bce") return reference::binary_cross_entropy(scores, label);
  if (problem.loss.name == "squared") return reference::squared_error(scores, label);
  return reference::cross_entropy(scores, label);
}

TEST(Curvature, BoundsTheSecondDerivativeOnTheWholeSegment) {
  for (const Bent& c : bent_cases()) {
    const Population population = make_population({.task = "majority", .inputs = 4});
    const SmallNetwork network = make_small_network(c.model, population.inputs);
    const Problem problem{network, population, reference::loss_formulas(c.loss)};
    const Distribution q = network.distribution();
    for (std::size_t n = 0; n < network.neurons(); ++n) {
      const double bound = curvature_bound(problem, q, n);
      double largest = 0;
      for (std::size_t s = 0; s < population.size(); ++s)
        for (int step = 0; step <= 20; ++step) {
          const Jet2 loss = loss_at(problem, q, n, s, Jet2(step / 20.0, 1, 0));
          largest = std::max(largest, std::abs(loss.second));
          const auto point = scores_along(problem, q, n, s, Interval(step / 20.0));
          EXPECT_TRUE(second_derivative(c.loss, point, population.labels[s]).low <= loss.second + 1e-9);
          EXPECT_TRUE(second_derivative(c.loss, point, population.labels[s]).high >= loss.second - 1e-9);
        }
      EXPECT_GE(bound, largest) << c.loss << " neuron " << n;
      EXPECT_LE(bound, 12 * largest + 1e-9) << c.loss << " neuron " << n << ": a bound that is too wide says nothing";
    }
  }
}

TEST(Lipschitz, ConstantsBoundDifferencesOfLosses) {
  for (const Bent& c : bent_cases()) {
    const Population population = make_population({.task = "majority", .inputs = 4});
    const SmallNetwork network = make_small_network(c.model, population.inputs);
    const Problem problem{network, population, reference::loss_formulas(c.loss)};
    const CountTable counts(problem);
    double steepest = 0;
    for (std::size_t m = 0; m < counts.size(); ++m)
      for (std::size_t n = 0; n < m; ++n)
        for (std::size_t label : {0, 1}) {
          double squares = 0;
          for (std::size_t i = 0; i < counts.class_sums(m).size(); ++i)
            squares += std::pow(counts.class_sums(m)[i] - counts.class_sums(n)[i], 2);
          steepest = std::max(steepest, std::abs(counts.loss(m, label) - counts.loss(n, label)) / std::sqrt(squares));
        }
    EXPECT_LE(steepest, lipschitz_constant(problem)) << c.loss;
    EXPECT_GE(steepest, lipschitz_constant(problem) / 3) << c.loss;
  }
}

TEST(Bounds, AgreeWithTheFunctionsTheyAreMadeOf) {
  const Population population = make_population({.task = "parity", .inputs = 3});
  const SmallNetwork network = make_small_network({.widths = {3, 2}, .seed = 9}, population.inputs);
  const Problem problem{network, population, reference::loss_formulas("bce")};
  const CountTable counts(problem);
  const Distribution q = network.distribution();
  for (std::size_t n = 0; n < network.neurons(); ++n) {
    const NeuronBounds b = bound_neuron(problem, counts, q, n);
    const GateWeights conditional = conditional_risks(problem, counts, q, n),
                      relaxed = intervention_risks(problem, q, n);
    double mean_move = 0;
    for (std::size_t k = 0; k < kSlots; ++k) {
      EXPECT_NEAR(b.conditional[k], conditional[k], 1e-12);
      EXPECT_NEAR(b.relaxed[k], relaxed[k], 1e-12);
      EXPECT_LE(b.displacement[k], 1);
      mean_move += q[n][k] * b.score[k];
    }
    EXPECT_NEAR(mean_move, 0, 1e-12);  // moving to every gate in proportion is moving nowhere
  }
}

// When everything else is fixed there is one completion, and it is the relaxed network.
TEST(Bounds, VanishForTheLastNeuron) {
  const Population population = make_population({.task = "parity", .inputs = 3});
  const SmallNetwork network = make_small_network({.widths = {3, 2}, .seed = 9}, population.inputs);
  const Problem problem{network, population, reference::loss_formulas("bce")};
  const CountTable counts(problem);
  Distribution q = all_on(argmax(network.distribution()));
  q[1] = network.distribution()[1];
  const NeuronBounds b = bound_neuron(problem, counts, q, 1);
  for (std::size_t k = 0; k < kSlots; ++k) {
    EXPECT_NEAR(b.completion_error(k), 0, 1e-12);
    EXPECT_NEAR(b.conditional[k], b.relaxed[k], 1e-12);
  }
}

TEST(RandomNetworks, ViolateNothing) {
  Threads threads(2);
  const BoundsReport report = check_bounds({.networks = 200, .seed = 5}, threads);
  EXPECT_EQ(report.violations(), 0u);
  EXPECT_EQ(report.networks, 200u);
  for (const InequalityCheck& check : report.checks) EXPECT_GT(check.tested, 0u) << check.name;
  EXPECT_GT(report.condition_held, 0u);
  EXPECT_LT(report.condition_held, report.decisions);
}

TEST(RandomNetworks, DoNotDependOnThreads) {
  Threads one(1), three(3);
  const BoundsReport a = check_bounds({.networks = 70, .seed = 2}, one),
                     b = check_bounds({.networks = 70, .seed = 2}, three);
  for (std::size_t c = 0; c < a.checks.size(); ++c) {
    EXPECT_EQ(a.checks[c].tested, b.checks[c].tested);
    EXPECT_EQ(a.checks[c].ratios, b.checks[c].ratios);
  }
}

TEST(InequalityCheck, SeesViolations) {
  InequalityCheck check{.name = "x", .tested = 0, .violated = 0, .smallest_slack = 0, .ratios = {}}, other = check;
  check.test(1, 2);
  check.test(1, 1);
  EXPECT_EQ(check.violated, 0u);
  check.test(1.0001, 1);
  EXPECT_EQ(check.violated, 1u);
  EXPECT_NEAR(check.smallest_slack, -1e-4, 1e-9);
  other.test(3, 1);
  check.merge(other);
  EXPECT_EQ(check.violated, 2u);
  EXPECT_EQ(check.tested, 4u);
  EXPECT_NEAR(check.smallest_slack, -2, 1e-12);
}

}  // namespace
}  // namespace firn
