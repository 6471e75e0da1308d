#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "firn/discretize/selection.h"
#include "firn/model/reference/losses.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

constexpr std::size_t kSelectionSamples = 70;  // not a whole number of shards

using Slots = std::vector<std::vector<std::int8_t>>;

Slots frozen_slots(const Model& model) {
  Slots slots;
  for (const Neurons* group : model.neurons()) slots.push_back(group->frozen);
  return slots;
}

Slots select(Model& model, const SelectionSettings& settings, int thread_count = 2, bool binary = true) {
  Threads threads(thread_count);
  RandomBatch batch(model, kSelectionSamples, binary, 5);
  select_slots({settings, model, batch, loss_from_name("cross-entropy"), 1, threads});
  return frozen_slots(model);
}

// Mean loss in double, of the mixture that frozen neurons and logits give.
double relaxed_risk(const Model& model, const RandomBatch& batch, const Slots& frozen) {
  const reference::Network network(model);
  auto weights = network.make_weights<double>();
  for (std::size_t g = 0; g < frozen.size(); ++g)
    for (std::size_t i = 0; i < frozen[g].size(); ++i) {
      double total = 0;
      double* row = &weights[g][i * kSlots];
      for (std::size_t k = 0; k < kSlots; ++k) total += row[k] = std::exp(model.neurons()[g]->logits[i][k]);
      for (std::size_t k = 0; k < kSlots; ++k)
        row[k] = frozen[g][i] == kNotFrozen ? row[k] / total : k == static_cast<std::size_t>(frozen[g][i]);
    }
  double sum = 0;
  const auto samples = batch.samples();
  for (std::size_t s = 0; s < samples.size(); ++s)
    sum += reference::cross_entropy(network.forward(weights, samples[s]).back(), batch.labels()[s]);
  return sum / static_cast<double>(samples.size());
}

TEST(Selections, EveryRuleFreezesEverythingAndKeepsWhatWasFrozen) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const SelectionEntry& rule : selections()) {
      auto model = family.make(4);
      for (Neurons* group : model->neurons()) freeze_some(*group, 0.3, 6);
      const Slots before = frozen_slots(*model);
      const Slots after =
          select(*model, {.rule = std::string(rule.name), .budget = 12, .candidates = 3, .completions = 2});
      for (std::size_t g = 0; g < before.size(); ++g)
        for (std::size_t i = 0; i < before[g].size(); ++i) {
          EXPECT_NE(after[g][i], kNotFrozen) << family.name << " " << rule.name;
          EXPECT_TRUE(before[g][i] == kNotFrozen || before[g][i] == after[g][i]) << family.name << " " << rule.name;
        }
    }
}

TEST(Selections, DoNotDependOnThreads) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const SelectionEntry& rule : selections()) {
      const SelectionSettings settings{.rule = std::string(rule.name), .budget = 10, .candidates = 3, .completions = 3};
      auto first = family.make(4), second = family.make(4);
      EXPECT_EQ(select(*first, settings, 1), select(*second, settings, 3)) << family.name << " " << rule.name;
    }
}

TEST(Selections, OthersThanTheBudgetAndTheLayersAreArgmax) {
  auto model = tiny_dense_model(2), plain = tiny_dense_model(2);
  const Slots argmax = select(*plain, {.rule = "argmax"});
  for (std::size_t g = 0; g < argmax.size(); ++g) {
    const auto chosen = model->neurons()[g]->chosen_slots();
    EXPECT_TRUE(std::ranges::equal(argmax[g], chosen));
  }
  // In this order: first-order scores make constants of most gates, and below constants every gate has the score 0.
  const Slots some = select(*model, {.rule = "first-order", .layers = {"b0", "b1"}, .candidates = 16});
  for (std::size_t g = 0; g < argmax.size(); ++g) {
    const std::string& name = model->neurons()[g]->name;
    EXPECT_EQ(some[g] != argmax[g], name == "b0" || name == "b1") << name;
  }
  std::size_t changed = 0;
  auto third = tiny_dense_model(2);
  const Slots few = select(*third, {.rule = "first-order", .budget = 5, .candidates = 16});
  for (std::size_t g = 0; g < few.size(); ++g)
    for (std::size_t i = 0; i < few[g].size(); ++i) changed += few[g][i] != argmax[g][i];
  EXPECT_GT(changed, 0u);
  EXPECT_LE(changed, 5u);
}

TEST(Selections, ConvNamesAllConvolutions) {
  auto model = tiny_tree_model(2), plain = tiny_tree_model(2);
  const Slots argmax = select(*plain, {.rule = "argmax"});
  const Slots some = select(*model, {.rule = "first-order", .layers = {"conv"}, .candidates = 16});
  for (std::size_t g = 0; g < argmax.size(); ++g)
    EXPECT_EQ(some[g] != argmax[g], model->neurons()[g]->convolutional) << model->neurons()[g]->name;
}

// The order of layers counts: the layer that is decided last knows what the others have become.
TEST(Selections, FollowTheOrderOfLayers) {
  auto forward = tiny_dense_model(2), backward = tiny_dense_model(2), named = tiny_dense_model(2);
  const SelectionSettings settings{.rule = "first-order", .candidates = 3};
  SelectionSettings reversed = settings, listed = settings;
  reversed.order = "output-first";
  listed.layers = {"c0", "b1", "b0", "a0"};
  const Slots last_first = select(*backward, reversed);
  EXPECT_NE(select(*forward, settings), last_first);
  EXPECT_EQ(select(*named, listed), last_first);
}

TEST(Selections, RefuseUnknownNames) {
  auto model = tiny_dense_model(2);
  EXPECT_NE(error_of([&] { select(*model, {.rule = "guess"}); }).find("nearest-table"), std::string::npos);
  EXPECT_NE(error_of([&] { select(*model, {.order = "inside-out"}); }).find("output-first"), std::string::npos);
  EXPECT_NE(error_of([&] { select(*model, {.layers = {"fc9"}}); }).find("the model has a0, b0"), std::string::npos);
}

// Rounding the four entries of the mean truth table.
TEST(NearestTable, RoundsTheMeanTruthTable) {
  auto model = tiny_dense_model(6);
  Threads threads(1);
  model->prepare({WeightPlan{}}, threads);
  const Slots slots = select(*model, {.rule = "nearest-table", .candidates = 16});
  for (std::size_t g = 0; g < slots.size(); ++g)
    for (std::size_t i = 0; i < slots[g].size(); ++i) {
      unsigned rounded = 0;
      for (unsigned column = 0; column < 4; ++column) {
        double mean = 0;
        for (unsigned k = 0; k < kSlots; ++k)
          if (eval(static_cast<Gate>(k), column / 2, column % 2)) mean += model->neurons()[g]->forward_weights[i][k];
        rounded = 2 * rounded + (mean > 0.5);
      }
      EXPECT_EQ(static_cast<unsigned>(slots[g][i]), rounded);
    }
}

// Slots with wires of their own: mean squared distance over all values of four inputs.
TEST(NearestTable, ComparesSlotsWithDifferentWires) {
  auto model = model_of({random_slot_dense("fc", {4}, 40, 3)}, head_of(4, 1.f));
  Threads threads(1);
  model->prepare({WeightPlan{}}, threads);
  const std::vector<std::uint32_t>& wires = model->wiring(0).tap_channel;
  const Neurons& neurons = *model->neurons()[0];
  std::vector<double> nearest(40, 1e9), chosen(40);
  const Slots slots = select(*model, {.rule = "nearest-table", .candidates = 16});
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t k = 0; k < kSlots; ++k) {
      double distance = 0;
      for (unsigned bits = 0; bits < 16; ++bits) {
        const auto value = [&](std::size_t slot) -> double {
          const std::size_t j = 2 * (i * kSlots + slot);
          return eval(neurons.gate(i, slot), bits >> wires[j] & 1, bits >> wires[j + 1] & 1);
        };
        double mixture = 0;
        for (std::size_t h = 0; h < kSlots; ++h) mixture += neurons.forward_weights[i][h] * value(h);
        distance += (mixture - value(k)) * (mixture - value(k));
      }
      nearest[i] = std::min(nearest[i], distance);
      if (k == static_cast<std::size_t>(slots[0][i])) chosen[i] = distance;
    }
  // The weights above are those before freezing: update_weights has not run since.
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(chosen[i], nearest[i], 1e-5);
}

// Follows the rule's own decisions in double: each must have the smallest risk among all sixteen, up to float noise.
TEST(RelaxedIntervention, ChoosesTheSmallestRiskOneNeuronAfterTheOther) {
  for (const TinyFamily& family : kTinyFamilies) {
    auto model = family.make(7);
    const std::size_t group = 1;
    for (std::size_t g = 0; g < model->neurons().size(); ++g)
      for (std::size_t i = 0; i < model->neurons()[g]->count(); ++i)
        if (g < group || (g == group && i >= 5)) model->neurons()[g]->frozen[i] = static_cast<std::int8_t>(i % 16);
    const RandomBatch batch(*model, kSelectionSamples, /*binary=*/true, 5);
    Slots state = frozen_slots(*model);
    const Slots chosen =
        select(*model, {.rule = "relaxed-intervention", .layers = {model->neurons()[group]->name}, .candidates = 16});
    for (std::size_t i = 0; i < 5; ++i) {
      double smallest = 1e9, reached = 0;
      for (std::int8_t k = 0; k < 16; ++k) {
        state[group][i] = k;
        const double risk = relaxed_risk(*model, batch, state);
        smallest = std::min(smallest, risk);
        if (k == chosen[group][i]) reached = risk;
      }
      EXPECT_LT(reached - smallest, 2e-6) << family.name << " " << i;
      state[group][i] = chosen[group][i];
    }
  }
}

// With a single relaxed neuron there is one completion per gate, and the rule must find the best circuit.
TEST(ConditionalExpectation, FindsTheBestGateOfTheLastRelaxedNeuron) {
  for (const TinyFamily& family : kTinyFamilies)
    for (std::size_t group = 0; group < 2; ++group) {
      auto model = family.make(7);
      for (Neurons* neurons : model->neurons()) freeze_to_argmax(*neurons);
      model->neurons()[group]->frozen[2] = kNotFrozen;
      Slots state = frozen_slots(*model);
      const RandomBatch batch(*model, kSelectionSamples, /*binary=*/true, 5);
      const Slots chosen = select(*model, {.rule = "conditional-expectation-mc", .candidates = 16, .completions = 1});
      double smallest = 1e9, reached = 0;
      for (std::int8_t k = 0; k < 16; ++k) {
        state[group][2] = k;
        const double risk = relaxed_risk(*model, batch, state);  // of bits: the discrete risk
        smallest = std::min(smallest, risk);
        if (k == chosen[group][2]) reached = risk;
      }
      EXPECT_LT(reached - smallest, 1e-6) << family.name;
    }
}

// The score of the chosen slot, as a difference quotient of the risk in double, is the smallest of the sixteen.
TEST(FirstOrder, ChoosesTheSmallestScore) {
  auto model = tiny_dense_model(9);
  const Slots before = frozen_slots(*model);
  const RandomBatch batch(*model, kSelectionSamples, /*binary=*/true, 5);
  const std::string last = model->neurons().back()->name;
  const Slots chosen = select(*model, {.rule = "first-order", .layers = {last}, .candidates = 16});
  // The last layer is summed by the head, so a step towards a slot is a mixture of the neuron's row.
  const reference::Network network(*model);
  Neurons& neurons = *model->neurons().back();
  for (Neurons* group : model->neurons()) std::ranges::fill(group->frozen, kNotFrozen);
  Threads threads(1);
  model->prepare({WeightPlan{}}, threads);
  const auto q = weights_of(*model);
  const auto risk = [&](const reference::Weights<double>& weights) {
    double sum = 0;
    for (std::size_t s = 0; s < kSelectionSamples; ++s)
      sum += reference::cross_entropy(network.forward(weights, batch.samples()[s]).back(), batch.labels()[s]);
    return sum / kSelectionSamples;
  };
  for (std::size_t i = 0; i < neurons.count(); i += 6) {
    double smallest = 1e9, reached = 0;
    for (std::size_t k = 0; k < kSlots; ++k) {
      auto moved = q;
      constexpr double kStep = 1e-4;
      for (std::size_t h = 0; h < kSlots; ++h) moved.back()[i * kSlots + h] *= 1 - kStep;
      moved.back()[i * kSlots + k] += kStep;
      const double score = (risk(moved) - risk(q)) / kStep;
      smallest = std::min(smallest, score);
      if (k == static_cast<std::size_t>(chosen.back()[i])) reached = score;
    }
    EXPECT_LT(reached - smallest, 1e-4) << i;
  }
}

}  // namespace
}  // namespace firn
