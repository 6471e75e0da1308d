#include "firn/theory/completions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "firn/network/kinds/tree_conv.h"
#include "firn/theory/assignments.h"
#include "firn/theory/relaxed.h"
#include "firn/theory/small_models.h"
#include "tests/theory/boolean_judge.h"

namespace firn {
namespace {

struct Case {
  const char* name;
  SmallModelSettings model;
  PopulationSettings task;
};

// Nets of at most four neurons: all 65,536 assignments can be tried.
std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (const char* loss : {"bce", "squared", "cross-entropy"}) {
    cases.push_back(
        {"dense", {.kind = "dense", .widths = {2, 2}, .loss = loss, .seed = 3}, {.inputs = 4, .noise = 0.1}});
    cases.push_back(
        {"tree", {.kind = "tree", .trees = 1, .depth = 2, .loss = loss}, {.task = "majority", .inputs = 3}});
    cases.push_back({"shared",
                     {.kind = "shared", .trees = 2, .depth = 1, .loss = loss, .seed = 5},
                     {.task = "teacher", .inputs = 9}});
  }
  std::erase_if(cases, [](const Case& c) { return c.name == std::string("tree") && c.model.loss == "cross-entropy"; });
  return cases;
}

double probability(const Distribution& q, const Assignment& gates) {
  double product = 1;
  for (std::size_t n = 0; n < gates.size(); ++n) product *= q[n][static_cast<std::size_t>(gates[n])];
  return product;
}

TEST(Completions, AgreeWithAllAssignmentsOfTheBooleanNetwork) {
  for (const Case& c : small_cases()) {
    const Population population = make_population(c.task);
    SmallNetwork network = make_small_network(c.model, population.inputs);
    const Problem problem{network, population, reference::loss_formulas(c.model.loss)};
    const CountTable counts(problem);
    Distribution q = network.distribution();
    double expected = 0, best = 1e9;
    std::vector<GateWeights> conditional(network.neurons());
    BooleanJudge(network, population, problem.loss).for_each([&](const Assignment& gates, double risk) {
      const double p = probability(q, gates);
      expected += p * risk;
      best = std::min(best, risk);
      for (std::size_t n = 0; n < gates.size(); ++n) {
        const auto k = static_cast<std::size_t>(gates[n]);
        conditional[n][k] += p / q[n][k] * risk;
      }
    });
    EXPECT_NEAR(expected_risk(problem, counts, q), expected, 1e-12) << c.name << " " << c.model.loss;
    EXPECT_NEAR(best_assignment(problem, counts).risk, best, 1e-12) << c.name << " " << c.model.loss;
    for (std::size_t n = 0; n < network.neurons(); ++n) {
      const GateWeights exact = conditional_risks(problem, counts, q, n);
      for (std::size_t k = 0; k < kSlots; ++k)
        EXPECT_NEAR(exact[k], conditional[n][k], 1e-11) << c.name << " neuron " << n << " gate " << k;
    }
  }
}

TEST(Completions, OfFixedNeuronsAreTheDiscreteNetwork) {
  for (const Case& c : small_cases()) {
    const Population population = make_population(c.task);
    SmallNetwork network = make_small_network(c.model, population.inputs);
    const Problem problem{network, population, reference::loss_formulas(c.model.loss)};
    const CountTable counts(problem);
    const Assignment gates = argmax(network.distribution());
    const double risk = BooleanJudge(network, population, problem.loss).risk(gates);
    EXPECT_NEAR(expected_risk(problem, counts, all_on(gates)), risk, 1e-12);
    EXPECT_NEAR(relaxed_risk(problem, all_on(gates)), risk, 1e-12);
    EXPECT_NEAR(discrete_risk(problem, counts, gates), risk, 1e-12);
  }
}

// Drawing a neuron and then the rest is drawing everything; pooled kernels included.
TEST(Completions, ObeyTheLawOfTotalExpectation) {
  RandomSequence random(7, "test/theory");
  const Population population = make_population({.task = "teacher", .inputs = 9, .gates = 6});
  NetworkDescription described;
  described.input = {1, 3, 3};
  LayerPlace place;
  place.name = "conv";
  place.input = described.input;
  TreeConvSettings conv;
  conv.filters = 2;
  conv.depth = 1;
  conv.window = 2;
  conv.padding = 0;
  conv.pool = 2;
  conv.channels = "all";
  described.layers = {conv.draw(place, random)};
  described.head = make_small_head(2, "bce", 3);
  SmallNetwork network(std::make_unique<Model>(std::move(described), Initialization{.gaussian = true}, 7));
  const Problem problem{network, population, reference::loss_formulas("bce")};
  const CountTable counts(problem);
  const Distribution q = network.distribution();
  const double expected = expected_risk(problem, counts, q);
  for (std::size_t n = 0; n < network.neurons(); ++n) {
    const GateWeights conditional = conditional_risks(problem, counts, q, n);
    double mean = 0;
    for (std::size_t k = 0; k < kSlots; ++k) mean += q[n][k] * conditional[k];
    EXPECT_NEAR(mean, expected, 1e-12);
  }
}

TEST(GateList, WalkedWithMixturesGivesTheScoresOfTheFormulas) {
  for (const Case& c : small_cases()) {
    const Population population = make_population(c.task);
    const SmallNetwork network = make_small_network(c.model, population.inputs);
    const Problem problem{network, population, reference::loss_formulas(c.model.loss)};
    const Distribution q = network.distribution();
    const auto scores = relaxed_class_sums(problem, q);
    const GateList& gates = network.gates();
    for (std::size_t s = 0; s < population.size(); ++s) {
      const std::vector<double> inputs(population.bits[s].begin(), population.bits[s].end());
      const auto wires = walk(gates, inputs, [&](std::uint32_t n, double a, double b) {
        return reference::neuron_value(reference::slots_on_pair(0, 1), q[n].data(), {a, b});
      });
      std::vector<double> sums(gates.groups, gates.offset);
      for (std::size_t o = 0; o < gates.outputs.size(); ++o)
        sums[o / gates.group_rows()] += gates.factor * wires[gates.outputs[o]];
      for (std::size_t g = 0; g < gates.groups; ++g) EXPECT_NEAR(sums[g], scores[s][g], 1e-12) << c.name;
    }
  }
}

}  // namespace
}  // namespace firn
