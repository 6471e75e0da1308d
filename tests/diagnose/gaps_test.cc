#include "firn/diagnose/gaps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "firn/logic/evaluate.h"
#include "tests/support/random_models.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

Weights16 weights_on(std::initializer_list<std::pair<Gate, double>> gates) {
  Weights16 weights{};
  for (const auto& [gate, weight] : gates) weights[static_cast<std::size_t>(gate)] = weight;
  return weights;
}

std::array<GateOnWires, kSlots> shared_pair() {
  std::array<GateOnWires, kSlots> slots;
  for (std::size_t k = 0; k < kSlots; ++k) slots[k] = {static_cast<Gate>(k), 0, 1};
  return slots;
}

TEST(GateCensus, TheNearestGateNeedNotBeTheHeaviest) {
  // The table of this mixture is 0, .3, .6, 1: rounded, that is gate "a".
  const auto mixture = weights_on({{Gate::kAnd, 0.4}, {Gate::kOr, 0.3}, {Gate::kA, 0.3}});
  EXPECT_EQ(nearest_slot(shared_pair(), mixture, 1), static_cast<std::size_t>(Gate::kA));
  const auto clear = weights_on({{Gate::kXor, 0.9}, {Gate::kTrue, 0.1}});
  EXPECT_EQ(nearest_slot(shared_pair(), clear, 6), 6u);
}

TEST(GateCensus, NearestOnOwnWiresEqualsEnumeration) {
  RandomSequence random(4, "test/census");
  for (int round = 0; round < 20; ++round) {
    std::array<GateOnWires, kSlots> slots;
    Weights16 weights;
    double total = 0;
    for (std::size_t k = 0; k < kSlots; ++k) {
      slots[k] = {static_cast<Gate>(random.below(16)), random.below(5), random.below(5)};
      total += weights[k] = random.uniform() * random.uniform();
    }
    for (double& w : weights) w /= total;
    Weights16 distance{};
    for (unsigned bits = 0; bits < 32; ++bits) {
      const auto value = [&](std::size_t k) {
        return eval(slots[k].gate, (bits >> slots[k].a) & 1, (bits >> slots[k].b) & 1) ? 1.0 : 0.0;
      };
      double mixture = 0;
      for (std::size_t k = 0; k < kSlots; ++k) mixture += weights[k] * value(k);
      for (std::size_t k = 0; k < kSlots; ++k) distance[k] += std::pow(value(k) - mixture, 2) / 32;
    }
    const double least = *std::min_element(distance.begin(), distance.end());
    EXPECT_NEAR(distance[nearest_slot(slots, weights, 0)], least, 1e-12);
  }
}

std::vector<std::uint32_t> counts_of(const BooleanNetwork& network, const Matrix<std::uint64_t>& bits) {
  Threads threads(1);
  BitEvaluator evaluator(network, bits.cols());
  return evaluator.count(bits, threads);
}

// Inverting a dead gate changes nothing on any input; a gate that changes something is not dead.
TEST(GateCensus, DeadGatesAreThoseThatNothingDependsOn) {
  for (const TinyFamily& family : kTinyFamilies) {
    const auto model = family.make(11);
    const BooleanNetwork network = model->harden();
    Matrix<std::uint64_t> bits(network.input.size(), 2, 16);
    RandomSequence random(3, "test/bits");
    for (std::size_t f = 0; f < bits.rows(); ++f)
      for (std::uint64_t& word : bits[f]) word = (std::uint64_t{random.next()} << 32) | random.next();
    const auto before = counts_of(network, bits);
    std::size_t dead = 0, alive = 0;
    for (const GateRow& row : take_gate_census(*model, 1)) {
      const std::string& name = model->neurons()[row.group]->name;
      BooleanNetwork changed = network;
      const auto layer =
          static_cast<std::size_t>(std::find(network.names.begin(), network.names.end(), name) - network.names.begin());
      Gate* gate = nullptr;
      if (auto* conv = std::get_if<BooleanConv>(&changed.layers[layer])) gate = &conv->gates[row.neuron];
      if (auto* dense = std::get_if<BooleanDense>(&changed.layers[layer])) gate = &dense->gates[row.neuron];
      ASSERT_NE(gate, nullptr);
      ASSERT_EQ(*gate, row.gate);
      *gate = static_cast<Gate>(15 - static_cast<int>(row.gate));
      const bool matters = counts_of(changed, bits) != before;
      EXPECT_FALSE(row.is_dead && matters) << family.name << " " << name << " " << row.neuron;
      dead += row.is_dead;
      alive += matters;
    }
    EXPECT_GT(dead, 5u) << family.name;
    EXPECT_GT(alive, 20u) << family.name;
  }
}

TEST(Gaps, LayersAreSwappedOneAtATimeAndPutBack) {
  const auto model = tiny_tree_model(4);
  freeze_some(*model->neurons()[0], 0.2, 5);
  Dataset data = byte_data({3, 8, 8}, {});
  Matrix<std::uint8_t> images = random_bytes(50, 192, 3);
  for (std::size_t r = 0; r < 50; ++r)
    for (std::uint8_t& v : images[r]) v = v < 128 ? 0 : 255;
  data.train.bytes = std::move(images);
  data.train.labels.resize(50);
  for (std::size_t i = 0; i < 50; ++i) data.train.labels[i] = static_cast<std::uint16_t>(i % 3);
  data.classes = 3;
  const auto indices = first_indices(50);
  EncodeSettings encode;
  encode.encoding = "uniform";
  encode.thresholds = 1;
  const Encoder encoder = fit_encoder(encode, data, indices);
  Threads threads(1);
  Evaluator evaluator(*model, encoder, loss_from_name("cross-entropy"), 1, 3, threads);
  std::vector<std::vector<std::int8_t>> before;
  for (const Neurons* group : model->neurons()) before.push_back(group->frozen);
  const LayeredGaps gaps = measure_gaps(*model, evaluator, data.train, indices, 1, [](std::uint64_t, std::uint64_t) {});
  for (std::size_t g = 0; g < before.size(); ++g) EXPECT_EQ(model->neurons()[g]->frozen, before[g]);
  EXPECT_EQ(gaps.layers.size(), model->neurons().size());
  EXPECT_EQ(gaps.whole.discrete.loss, evaluator.run(data.train, indices, EvaluationMode::kDiscrete).loss());
  EXPECT_NEAR(gaps.whole.argmax_on_reals.loss, gaps.whole.discrete.loss, 1e-5);  // binary inputs
  freeze_to_argmax(*model->neurons()[1]);
  EXPECT_EQ(gaps.layers[1].discrete.loss, evaluator.run(data.train, indices, EvaluationMode::kRelaxed).loss());
  EXPECT_NE(gaps.layers[1].discrete.loss, gaps.whole.relaxed.loss);
  EXPECT_EQ(gaps.layers[0].frozen, model->neurons()[0]->frozen_count());
  EXPECT_EQ(gaps.gates.size(), 35u + 21 + 24 + 12 + 6);
}

}  // namespace
}  // namespace firn
