// Runs a fast layer on random rows and compares everything it computes with the reference in double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/random_models.h"

namespace firn {

struct LayerRun {
  Matrix<float> in, out, grad_out, grad_in;  // rows of the layer's layouts
  std::vector<Matrix<float>> grad_weights;   // one per Neurons
};

inline void fill_features(const RowLayout& layout, RandomSequence& random, float low, float high, bool binary,
                          Matrix<float>& rows) {
  for (std::size_t f = 0; f < layout.shape.size(); ++f)
    for (float& v : rows[layout.row_of_feature(f)]) {
      const float u = random.uniform();
      v = binary ? (u < 0.5f ? low : high) : low + (high - low) * u;
    }
}

// What a layer is given: bits, any values, or values that packing to sixteen bits leaves as they are.
enum class TestInput { kBits, kAny, kPackable };

// Forward and backward with weights from `plan`; border rows of the input are zero and must stay so.
inline LayerRun run_layer(Layer& layer, std::size_t samples, TestInput input, const WeightPlan& plan,
                          std::uint64_t seed) {
  Threads threads(1);
  RandomSequence random(seed, "test/rows");
  for (std::size_t g = 0; g < layer.neurons().size(); ++g) {
    layer.neurons()[g]->begin_update(plan);
    layer.update_rows(g, plan, 0, layer.neurons()[g]->count());
  }
  layer.prepare();
  LayerRun run{Matrix<float>(layer.input().rows(), samples),
               Matrix<float>(layer.output().rows(), samples),
               Matrix<float>(layer.output().rows(), samples),
               Matrix<float>(layer.input().rows(), samples),
               {}};
  fill_features(layer.input(), random, 0, 1, input == TestInput::kBits, run.in);
  if (input == TestInput::kPackable)
    for (std::size_t r = 0; r < run.in.rows(); ++r)
      for (float& v : run.in[r]) v = std::round(v * kPackedOne) / kPackedOne;
  fill_features(layer.output(), random, -1, 1, false, run.grad_out);
  Matrix<std::uint8_t> winners(layer.winner_rows(), samples);
  Matrix<PackedValue> packed(layer.packs_input() ? run.in.rows() : 0, samples, 2 * samples);
  layer.forward({samples, run.in.data(), run.out.data(), winners.data(), {packed.data()}});
  // What an earlier step has left in the sums must not matter.
  Matrix<float> sums(layer.sum_rows() * layer.sum_width() / kSlots + 1, kSlots);
  std::ranges::fill(std::span(sums.data(), sums.rows() * kSlots), 1e3f);
  layer.backward(
      {samples, run.in.data(), winners.data(), run.grad_out.data(), run.grad_in.data(), sums.data(), packed.data()});
  Matrix<float> sums_only(sums.rows(), kSlots);
  std::ranges::fill(std::span(sums_only.data(), sums.rows() * kSlots), -1e3f);
  layer.backward(
      {samples, run.in.data(), winners.data(), run.grad_out.data(), nullptr, sums_only.data(), packed.data()});
  const auto neurons = layer.neurons();
  for (std::size_t g = 0; g < neurons.size(); ++g) {
    run.grad_weights.emplace_back(neurons[g]->count(), kSlots);
    Matrix<float> alone(neurons[g]->count(), kSlots);
    layer.weight_gradient(g, sums.data(), 0, neurons[g]->count(), run.grad_weights[g].data());
    layer.weight_gradient(g, sums_only.data(), 0, neurons[g]->count(), alone.data());
    for (std::size_t i = 0; i < neurons[g]->count(); ++i) {
      if (neurons[g]->frozen[i] != kNotFrozen) continue;
      for (std::size_t k = 0; k < kSlots; ++k) EXPECT_EQ(alone[i][k], run.grad_weights[g][i][k]);
    }
  }
  return run;
}

inline reference::Values<double> features_of(const RowLayout& layout, const Matrix<float>& rows, std::size_t sample) {
  reference::Values<double> values;
  for (std::size_t f = 0; f < layout.shape.size(); ++f) values.push_back(rows[layout.row_of_feature(f)][sample]);
  return values;
}

// The largest difference, in units of the largest value (at least 1).
class Difference {
 public:
  void add(double actual, double expected) {
    largest_ = std::max(largest_, std::isfinite(actual) ? std::abs(actual - expected) : INFINITY);
    scale_ = std::max(scale_, std::abs(expected));
  }
  double relative() const { return largest_ / scale_; }

 private:
  double largest_ = 0, scale_ = 1;
};

// `packing` is what the rounding of packed inputs may add to the error.
inline void expect_matches_reference(Layer& layer, std::size_t samples, TestInput input, const WeightPlan& plan,
                                     std::uint64_t seed, const std::string& what, double packing = 0) {
  const LayerRun run = run_layer(layer, samples, input, plan, seed);
  reference::Network network;
  network.add(layer);
  const auto weights = weights_of(std::as_const(layer));
  auto grad_weights = network.make_weights<double>();
  Difference outputs, inputs, sums;
  for (std::size_t s = 0; s < samples; ++s) {
    const auto values = network.forward(weights, features_of(layer.input(), run.in, s));
    const auto grad = network.backward(weights, values, features_of(layer.output(), run.grad_out, s), grad_weights);
    const auto out = features_of(layer.output(), run.out, s), grad_in = features_of(layer.input(), run.grad_in, s);
    for (std::size_t i = 0; i < out.size(); ++i) outputs.add(out[i], values.back()[i]);
    for (std::size_t i = 0; i < grad.size(); ++i) inputs.add(grad_in[i], grad[i]);
  }
  const auto neurons = layer.neurons();
  for (std::size_t g = 0; g < neurons.size(); ++g)
    for (std::size_t i = 0; i < neurons[g]->count() * kSlots; ++i)
      if (neurons[g]->frozen[i / kSlots] == kNotFrozen) sums.add(run.grad_weights[g].data()[i], grad_weights[g][i]);
  EXPECT_LT(outputs.relative(), 1e-6 + packing) << what;
  EXPECT_LT(inputs.relative(), 2e-6 + packing) << what;
  EXPECT_LT(sums.relative(), 5e-6 + packing) << what;
}

}  // namespace firn
