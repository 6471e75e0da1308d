#include "firn/model/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "firn/base/jet.h"
#include "firn/model/reference/losses.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

using reference::Network;
using reference::Values;
using reference::Weights;

// The reference proves itself: analytic gradients in double against central differences.
struct Check {
  Network network;
  Weights<double> weights;
  Values<double> input;
  Values<double> direction;  // the loss is its inner product with the output

  double loss() const {
    const Values<double> out = network.forward(weights, input).back();
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += direction[i] * out[i];
    return sum;
  }

  // A wide step where the loss has no second derivative in the variable would be exact; a pool only allows a small one.
  double difference(double& variable) const {
    constexpr double kStep = 1e-5;
    const double kept = variable;
    variable = kept + kStep;
    const double high = loss();
    variable = kept - kStep;
    const double low = loss();
    variable = kept;
    return (high - low) / (2 * kStep);
  }
};

void expect_close(double analytic, double numeric, double scale, const std::string& what) {
  EXPECT_LT(std::abs(analytic - numeric), 1e-6 * std::max(std::abs(numeric), scale))
      << what << ": " << analytic << " " << numeric;
}

void check_gradients(Layer& layer, const std::string& what, std::uint64_t seed) {
  Check check;
  check.network.add(layer);
  for (std::size_t g = 0; g < layer.neurons().size(); ++g) {
    layer.neurons()[g]->begin_update({});
    layer.update_rows(g, {}, 0, layer.neurons()[g]->count());
  }
  check.weights = weights_of(std::as_const(layer));
  check.input = random_values(layer.input().shape.size(), seed);
  check.direction = random_values(layer.output().shape.size(), seed + 1, -1, 1);
  const auto values = check.network.forward(check.weights, check.input);
  auto grad_weights = check.network.make_weights<double>();
  const auto grad_input = check.network.backward(check.weights, values, check.direction, grad_weights);
  std::size_t moving = 0;
  for (std::size_t i = 0; i < check.input.size(); ++i) {
    expect_close(grad_input[i], check.difference(check.input[i]), 1e-2, what + " input " + std::to_string(i));
    moving += grad_input[i] != 0;
  }
  EXPECT_GT(moving, 0u) << what;
  // Weights of frozen neurons have no gradient that anyone wants; a root frozen to a constant ties all positions of a
  // pool.
  for (std::size_t g = 0; g < grad_weights.size(); ++g)
    for (std::size_t i = 0; i < grad_weights[g].size(); ++i)
      if (layer.neurons()[g]->frozen[i / kSlots] == kNotFrozen)
        expect_close(grad_weights[g][i], check.difference(check.weights[g][i]), 1e-2,
                     what + " weight " + std::to_string(i));
}

// Every mode of every layer: all soft, mixed neuron by neuron, all frozen.
void check_gradients_in_all_modes(const std::function<Draft()>& make, const std::string& what) {
  for (const double share : {0.0, 0.5, 1.0}) {
    const LayerAlone layer(make());
    for (Neurons* group : layer->neurons()) freeze_some(*group, share, 5);
    check_gradients(*layer, what + " frozen " + std::to_string(share), 17);
  }
}

TEST(ReferenceGradients, Dense) {
  check_gradients_in_all_modes([] { return random_dense("fc", {11}, {13}, 1); }, "single");
  check_gradients_in_all_modes([] { return random_dense("fc", {11}, {16, 8, 4, 2}, 2); }, "stack");
}

TEST(ReferenceGradients, TreeConv) {
  for (std::size_t depth = 1; depth <= 4; ++depth)
    for (std::size_t pool : {1, 2}) {
      const TreeConvSettings padded = tree(2, depth, 3, 1, pool, "two-distinct");
      check_gradients_in_all_modes(
          [&] {
            return random_tree("conv", {3, 4, 4}, padded, depth);
          },
          "padded depth " + std::to_string(depth) + " pool " + std::to_string(pool));
      const TreeConvSettings bare = tree(2, depth, 5, 0, pool, "all");
      check_gradients_in_all_modes(
          [&] {
            return random_tree("conv", {2, 6, 8}, bare, depth);
          },
          "unpadded depth " + std::to_string(depth) + " pool " + std::to_string(pool));
    }
}

TEST(ReferenceGradients, SlotLayers) {
  check_gradients_in_all_modes([] { return random_slot_dense("fc", {9}, 6, 1); }, "slot_dense");
  check_gradients_in_all_modes([] { return random_slot_select("select", {9}, 6, 1); }, "slot_select");
  for (std::size_t stride : {1, 2})
    for (std::size_t padding : {0, 1})
      check_gradients_in_all_modes(
          [&] {
            return random_slot_conv("conv", {2, 5, 6}, slot(3, 3, padding, stride), 3);
          },
          "slot_conv stride " + std::to_string(stride) + " padding " + std::to_string(padding));
}

TEST(ReferenceGradients, Pool) {
  check_gradients(*LayerAlone(or_pool("pool", {3, 4, 6})), "pool", 4);
}

TEST(ReferenceGradients, Head) {
  for (const Head& head : {head_of(3, 1.7f, 0.3f, 2.f), head_of(1, 1.7f)}) {
    Check check;
    check.network.set_head(head);
    check.input = random_values(12, 5);
    check.direction = random_values(head.groups, 6, -1, 1);
    const auto values = check.network.forward(check.weights, check.input);
    const auto grad = check.network.backward(check.weights, values, check.direction, check.weights);
    for (std::size_t i = 0; i < 12; ++i) expect_close(grad[i], check.difference(check.input[i]), 1e-2, "head");
  }
}

TEST(ReferenceGradients, Losses) {
  const auto check = [](auto loss, auto gradient, std::size_t outputs) {
    for (std::size_t label = 0; label < std::max<std::size_t>(outputs, 2); ++label) {
      Values<double> sums = random_values(outputs, label, -3, 3);
      const Values<double> analytic = gradient(sums, label);
      for (std::size_t c = 0; c < outputs; ++c) {
        const double kept = sums[c], step = 1e-5;
        sums[c] = kept + step;
        const double high = loss(sums, label);
        sums[c] = kept - step;
        const double low = loss(sums, label);
        sums[c] = kept;
        EXPECT_NEAR(analytic[c], (high - low) / (2 * step), 1e-8);
      }
    }
  };
  check(reference::cross_entropy<double>, reference::cross_entropy_gradient<double>, 5);
  check(reference::binary_cross_entropy<double>, reference::binary_cross_entropy_gradient<double>, 1);
  check(reference::squared_error<double>, reference::squared_error_gradient<double>, 1);
  check(reference::squared_error<double>, reference::squared_error_gradient<double>, 4);
}

TEST(Reference, PoolGivesTheGradientToTheFirstWinner) {
  const LayerDescription wiring = build_alone(OrPoolSettings(), "pool", {1, 2, 2}, 1);
  const std::vector<std::uint8_t> no_opcodes;
  const reference::Layer pool{wiring, no_opcodes};
  const Values<double> tied{0.25, 0.5, 0.5, 0.5}, up{2};
  Values<double> grad(4);
  pool.backward<double>(nullptr, tied, up, grad, nullptr);
  EXPECT_EQ(grad, (Values<double>{0, 2, 0, 0}));
}

// The score of slot k is the derivative of the loss when the neuron's weights move from q towards slot k: the jet along
// that direction must give it as its first derivative, and the second derivative must match differences.
TEST(Reference, JetsAlongASlotGiveScoreAndCurvature) {
  for (const TinyFamily& family : kTinyFamilies) {
    const auto model = family.make(3);
    Threads threads(1);
    model->prepare({{}}, threads);
    const Network network(*model);
    const auto weights = weights_of(*std::as_const(model));
    const auto input = random_values(model->input().shape.size(), 8);
    const auto values = network.forward(weights, input);
    auto gradients = network.make_weights<double>();
    network.backward(weights, values, reference::cross_entropy_gradient(values.back(), 1), gradients);
    const std::size_t neuron = 1, slot = 6;
    const double *q = &weights[0][neuron * kSlots], *g = &gradients[0][neuron * kSlots];
    double score = g[slot];
    for (std::size_t k = 0; k < kSlots; ++k) score -= q[k] * g[k];
    const auto loss_at = [&](auto t) {
      using T = decltype(t);
      Weights<T> moved;
      for (const auto& group : weights) moved.emplace_back(group.begin(), group.end());
      for (std::size_t k = 0; k < kSlots; ++k)
        moved[0][neuron * kSlots + k] = T(q[k]) + t * T((k == slot ? 1.0 : 0.0) - q[k]);
      return reference::cross_entropy(network.forward(moved, Values<T>(input.begin(), input.end())).back(), 1);
    };
    const Jet2 jet = loss_at(Jet2(0, 1, 0));
    EXPECT_NEAR(jet.first, score, 1e-12) << family.name;
    const double h = 1e-3, second = (loss_at(h) - 2 * loss_at(0.0) + loss_at(-h)) / (h * h);
    EXPECT_NEAR(jet.second, second, 1e-6 + 1e-4 * std::abs(second)) << family.name;
  }
}

}  // namespace
}  // namespace firn
