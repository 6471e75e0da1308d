// The closed forms of a freshly initialised network.
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "firn/base/jet.h"
#include "firn/kernels/mixture.h"
#include "tests/support/each_target.h"
#include "tests/support/layer_check.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

// Vectors of four and more lanes add weights that cancel exactly in symmetric order; one lane after the other leaves
// the rounding of a few units in the last place of 0.006.
double residue(const char* target) {
  return std::string_view(target) == "SCALAR" ? 1e-8 : 0;
}

std::unique_ptr<Model> fresh_tree(std::size_t depth) {
  NetworkDescription network;
  network.input = {2, 4, 4};
  network.layers = {build_alone(tree(3, depth, 3, 1, 1, "two-distinct"), "conv", network.input, 1)};
  return std::make_unique<Model>(std::move(network), Initialization{}, 1);
}

TEST(ResidualInitialization, AGateIsAffineInItsFirstOperand) {
  each_target([](const char* target) {
    Neurons neurons("n", 1, false);
    initialize_residual(neurons, 5);
    alignas(kCacheLine) float q[kSlots], c[4];
    softmax_rows(1, neurons.logits.data(), 1, q);
    mix_coefficients(1, q, nullptr, c);
    EXPECT_NEAR(q[3], 0.90821, 5e-6) << target;
    EXPECT_NEAR(q[0], 0.0061195, 5e-8) << target;
    EXPECT_NEAR(c[0], 0.0489557, 1e-7) << target;
    EXPECT_NEAR(c[1], 0.9020887, 1e-7) << target;
    EXPECT_NEAR(c[2], 0, residue(target)) << target;
    EXPECT_NEAR(c[3], 0, residue(target)) << target;
  });
}

// A fresh tree passes its first leaf through; every operand b, and everything below one, has no gradient at all.
TEST(ResidualInitialization, ATreeIsAffineInItsFirstLeaf) {
  each_target([](const char* target) {
    const auto model = fresh_tree(3);
    Layer* const layer = &model->layer(0);
    const LayerDescription& tree = layer->parts()[0];
    const LayerRun run = run_layer(*layer, 16, TestInput::kPackable, {}, 2);
    std::vector<bool> is_first_leaf(layer->input().rows());
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t y = 0; y < 4; ++y)
        for (std::size_t x = 0; x < 4; ++x) {
          const std::size_t place = tree.tap_place[8 * k];
          const std::size_t row = tree.tap_channel[8 * k] * layer->input().plane() +
                                  (y + place / 3) * layer->input().line() + x + place % 3;
          is_first_leaf[row] = true;
          for (std::size_t s = 0; s < 16; ++s)
            EXPECT_NEAR(run.out[layer->output().row(k, y, x)][s], 0.132956 + 0.734087 * run.in[row][s], 1e-6) << target;
        }
    std::size_t others = 0;
    for (std::size_t row = 0; row < is_first_leaf.size(); ++row) {
      if (is_first_leaf[row]) continue;
      ++others;
      for (float g : run.grad_in[row]) EXPECT_NEAR(g, 0, residue(target)) << target;
    }
    EXPECT_GT(others, 0u);
    for (const std::size_t gate : {1, 2, 3, 5})
      for (std::size_t k = 0; k < 3; ++k)
        for (float g : run.grad_weights[0][7 * k + gate])
          EXPECT_NEAR(g, 0, 100 * residue(target)) << target << " gate " << gate;
    for (const std::size_t gate : {0, 4, 6}) EXPECT_NE(run.grad_weights[0][gate][15], 0) << target;
  });
}

TEST(ResidualInitialization, TheGainThroughFifteenLevels) {
  std::vector<double> q(kSlots, 1 / (std::exp(5.0) + 15));
  q[3] = std::exp(5.0) / (std::exp(5.0) + 15);
  Jet2 value(0.3, 1, 0);
  const std::vector<Jet2> weights(q.begin(), q.end());
  for (int level = 0; level < 15; ++level)
    value = reference::neuron_value<Jet2>(reference::slots_on_pair(0, 1), weights.data(), {value, Jet2(0.9)});
  EXPECT_NEAR(value.first, std::pow(0.9020887, 15), 1e-6);
  EXPECT_NEAR(value.first, 0.2132, 5e-5);
  EXPECT_NEAR(value.second, 0, 1e-12);
}

TEST(ResidualInitialization, CompactStartsAtNineTenths) {
  each_target([](const char* target) {
    Neurons neurons("n", 1, false);
    initialize_residual(neurons, std::log(135.f));
    EXPECT_NEAR(neurons.logits[0][3], 4.905275, 1e-6);
    alignas(kCacheLine) float q[kSlots], entropy;
    softmax_rows(1, neurons.logits.data(), 1, q);
    entropy_rows(1, q, &entropy);
    EXPECT_NEAR(entropy, 0.214921, 1e-6) << target;
    for (std::size_t k = 0; k < kSlots; ++k) EXPECT_NEAR(q[k], k == 3 ? 0.9 : 0.0066667, 1e-6) << target;
  });
}

TEST(ResidualInitialization, AllGatesWithEqualWeightsAreAHalf) {
  const std::vector<double> equal(kSlots, 1.0 / 16);
  for (const double a : {0.0, 0.3, 1.0})
    for (const double b : {0.0, 0.7, 1.0})
      EXPECT_NEAR(reference::neuron_value<double>(reference::slots_on_pair(0, 1), equal.data(), {a, b}), 0.5, 1e-15);
}

TEST(GaussianInitialization, HasMeanZeroAndVarianceOne) {
  Neurons neurons("n", 5000, false);
  RandomSequence random(1, "gaussian");
  initialize_gaussian(neurons, random);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < neurons.count(); ++i)
    for (float z : neurons.logits[i]) sum += z, squares += static_cast<double>(z) * z;
  EXPECT_NEAR(sum / 80000, 0, 0.02);
  EXPECT_NEAR(squares / 80000, 1, 0.03);
}

}  // namespace
}  // namespace firn
