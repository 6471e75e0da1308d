// The discrete network against the relaxed one with every neuron frozen: the same bits on binary inputs.
#include <gtest/gtest.h>

#include "firn/network/evaluate.h"
#include "tests/support/each_target.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

// Class sums of the relaxed model, in units of one gate, [class][sample].
std::vector<std::vector<float>> relaxed_counts(Model& model, RandomBatch& batch, std::size_t samples,
                                               Threads& threads) {
  model.prepare({{}}, threads);
  Workspace workspace = model.make_workspace(samples, false);
  batch.write_rows(0, samples, 0, workspace.values[0]);
  model.forward(workspace);
  std::vector<std::vector<float>> counts(model.outputs());
  for (std::size_t c = 0; c < counts.size(); ++c)
    for (std::size_t s = 0; s < samples; ++s) counts[c].push_back(workspace.class_sums[c][s] / model.head().factor);
  return counts;
}

TEST(Harden, EqualsTheRelaxedModelWithAllNeuronsFrozenToTheirArgmax) {
  each_target([](const char* target) {
    for (const TinyFamily& family : kTinyFamilies)
      for (const std::size_t words : {2, 8})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          Threads threads(2);
          const auto model = family.make(seed);
          RandomBatch batch(*model, 64 * words, /*binary=*/true, seed);
          const BooleanNetwork network = model->harden();  // before freezing: argmax does it
          for (Neurons* group : model->neurons()) freeze_to_argmax(*group);
          const auto expected = relaxed_counts(*model, batch, 64 * words, threads);
          Matrix<std::uint64_t> bits(network.input.size(), words, 16);
          batch.write_bits(0, batch.truths().size(), bits, threads);
          BitEvaluator evaluator(network, words);
          const auto counts = evaluator.count(bits, threads);
          const auto predictions = evaluator.predict(bits, threads);
          for (std::size_t s = 0; s < 64 * words; ++s) {
            std::size_t best = 0;
            for (std::size_t c = 0; c < expected.size(); ++c) {
              ASSERT_EQ(static_cast<float>(counts[c * 64 * words + s]), std::round(expected[c][s]))
                  << family.name << " " << target;
              ASSERT_NEAR(expected[c][s], std::round(expected[c][s]), 1e-5) << family.name << " " << target;
              if (counts[c * 64 * words + s] > counts[best * 64 * words + s]) best = c;
            }
            ASSERT_EQ(predictions[s], best) << family.name;
          }
        }
  });
}

TEST(Harden, EveryNumberOfThreadsGivesTheSame) {
  const auto model = tiny_tree_model(4);
  const BooleanNetwork network = model->harden();
  RandomBatch batch(*model, 128, true, 4);
  Matrix<std::uint64_t> bits(network.input.size(), 2, 16);
  std::vector<std::vector<std::uint32_t>> counts;
  for (const int count : {1, 2, 8}) {
    Threads threads(count);
    batch.write_bits(0, batch.truths().size(), bits, threads);
    BitEvaluator evaluator(network, 2);
    counts.push_back(evaluator.count(bits, threads));
  }
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_EQ(counts[0], counts[2]);
}

// A stack runs fused; the same levels as layers of their own must give the same numbers and gradients.
TEST(DenseStack, EqualsItsLevelsUnfused) {
  Threads threads(1);
  const std::vector<std::size_t> widths{24, 12, 6, 3};
  const auto fused = model_of({random_dense("fc", {14}, widths, 5)}, head_of(3, 1.f));
  ASSERT_EQ(fused->layer_count(), 1u);
  // The same formulas with operands that are not those of a tree: no kernel recognises them.
  NetworkDescription described = fused->description();
  for (LayerDescription& layer : described.layers) {
    layer.operands = {1, 0};
    for (std::size_t n = 0; n < layer.units(); ++n) std::swap(layer.tap_channel[2 * n], layer.tap_channel[2 * n + 1]);
  }
  Model unfused(std::move(described), {}, 1);
  ASSERT_EQ(unfused.layer_count(), widths.size());
  for (std::size_t level = 0; level < widths.size(); ++level)
    unfused.neurons()[level]->logits = fused->neurons()[level]->logits;
  for (Model* model : {fused.get(), &unfused}) {
    for (std::size_t level = 0; level < widths.size(); ++level) freeze_some(*model->neurons()[level], 0.3, level);
  }
  RandomBatch batch(*fused, 37, false, 6);
  BatchStep fused_step(*fused, loss_from_name("cross-entropy"), 37, 16, threads),
      unfused_step(unfused, loss_from_name("cross-entropy"), 37, 16, threads);
  EXPECT_NEAR(fused_step.run(batch, {{}}).loss, unfused_step.run(batch, {{}}).loss, 1e-6);
  for (std::size_t level = 0; level < widths.size(); ++level)
    for (std::size_t i = 0; i < widths[level]; ++i)
      for (std::size_t k = 0; k < kSlots && fused->neurons()[level]->frozen[i] == kNotFrozen; ++k)
        EXPECT_NEAR(fused_step.scores()[level][i][k], unfused_step.scores()[level][i][k], 1e-7) << level;
}

TEST(Harden, SelectedWiresPassTheirInputOn) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto model = tiny_select_model(seed);
    const BooleanNetwork network = model->harden();
    const std::vector<std::uint8_t> slots = model->neurons()[0]->chosen_slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      EXPECT_EQ(network.layers[0].gates[i], Gate::kA);
      EXPECT_EQ(network.layers[0].wiring.tap_channel[2 * i], model->wiring(0).tap_channel[2 * (i * kSlots + slots[i])]);
    }
  }
}

}  // namespace
}  // namespace firn
