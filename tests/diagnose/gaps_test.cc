#include "firn/diagnose/gaps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "firn/network/evaluate.h"
#include "tests/support/random_models.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

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
      Gate& gate = changed.layers[boolean_layer_of(network, row.group)].gates[row.neuron];
      ASSERT_EQ(gate, row.gate);
      gate = complement(gate);
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
