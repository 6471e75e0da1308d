// Networks with random data for tests of refinement.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firn/data/augment.h"
#include "firn/encode/encoder.h"
#include "firn/network/kinds/dense.h"
#include "firn/refine/outcome.h"
#include "firn/refine/search.h"
#include "tests/support/random_networks.h"
#include "tests/support/small_data.h"

namespace firn {

// Binary images whose labels depend on them only a little, so that there is something to gain and something to regret.
inline Dataset binary_images(const Shape& shape, std::size_t count, std::size_t classes, std::uint64_t seed) {
  Dataset data;
  data.name = "toy";
  data.shape = shape;
  data.classes = classes;
  Matrix<std::uint8_t> bytes(count, shape.size());
  RandomSequence random(seed, "test/refine");
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t ones = 0;
    for (std::uint8_t& v : bytes[i]) ones += (v = random.below(2) ? 255 : 0) != 0;
    data.train.labels.push_back(static_cast<std::uint16_t>(
        random.below(3) == 0 ? random.below(static_cast<std::uint32_t>(classes)) : ones % classes));
  }
  data.train.bytes = std::move(bytes);
  return data;
}

// Dense layers in which every output is read once, so that they fuse: `leaves` gates down to `leaves` / 4 outputs.
inline BooleanNetwork matched_network(std::size_t leaves, std::size_t groups, std::uint64_t seed) {
  RandomSequence random(seed, "test/matched");
  BooleanNetwork network;
  network.input = {1, 4, 5};
  network.layers.push_back(random_boolean_dense(20, leaves, random));
  for (std::size_t outputs : {leaves / 2, leaves / 4}) {
    const std::vector<std::uint32_t> wires = permutation(static_cast<std::uint32_t>(2 * outputs), random);
    std::vector<Gate> gates;
    for (std::size_t g = 0; g < outputs; ++g) gates.push_back(random_gate(random));
    network.layers.push_back(boolean_dense("", 2 * outputs, wires, gates));
  }
  for (std::size_t l = 0; l < network.layers.size(); ++l) network.layers[l].wiring.name = "fc" + std::to_string(l + 1);
  network.head = {.groups = groups, .factor = 0.3f};
  return network;
}

// A unit in which one gate is read by two others: a gate's effect inside its unit is then no product along a path.
inline BooleanNetwork meshed_network(std::uint64_t seed) {
  RandomSequence random(seed, "test/meshed");
  BooleanNetwork network;
  network.input = {2, 4, 4};
  BooleanLayer layer = random_boolean_conv(network.input, 6, random);
  LayerDescription& w = layer.wiring;
  w.taps = 3;
  w.gates = 4;
  w.operands = {0, 1, 3, 2, 3, 4, 5, 4};
  w.tap_channel.clear();
  w.tap_place.clear();
  layer.gates.clear();
  for (std::size_t u = 0; u < w.units(); ++u) {
    for (std::size_t t = 0; t < w.taps; ++t) {
      w.tap_channel.push_back(random.below(2));
      if (w.window.size() > 1)
        w.tap_place.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(w.window.size()))));
    }
    for (std::size_t g = 0; g < w.gates; ++g) layer.gates.push_back(random_gate(random));
  }
  w.name = "mesh";
  network.layers.push_back(std::move(layer));
  network.layers.push_back(random_boolean_dense(network.layers[0].wiring.output.size(), 12, random));
  network.layers.back().wiring.name = "fc";
  network.head = {.groups = 3, .factor = 0.5f};
  return network;
}

struct RefineCase {
  RefineCase(BooleanNetwork the_network, std::size_t images, const std::string& loss_name = "cross-entropy",
             const std::string& augment = "none")
      : network(std::move(the_network)),
        data(binary_images(network.input, images, network.head.classes(), 5)),
        indices(first_indices(images)),
        encoder(fit_encoder({"passthrough", 1, "global"}, data, indices)),
        augmenter(augment, data, 3),
        plan(make_plan(network)),
        loss(loss_from_name(loss_name), plan.head, plan.group_rows()) {}

  FittingData fitting() const { return {data.train, indices, encoder, augmenter}; }
  double whole_loss(const BooleanNetwork& of) const {
    Threads threads(1);
    double sum = 0;
    for (double l : evaluate_outcome(of, loss, data.train, indices, encoder, threads).losses) sum += l;
    return sum;
  }
  BooleanNetwork current() const {
    BooleanNetwork now = network;
    store_gates(plan, now);
    return now;
  }
  Move random_move(RandomSequence& random) const {
    for (;;) {
      const auto l = random.below(static_cast<std::uint32_t>(plan.layers.size()));
      const PlanLayer& layer = plan.layers[l];
      if (layer.gates == 0) continue;
      return {l, random.below(static_cast<std::uint32_t>(layer.units)),
              static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(layer.gates))),
              static_cast<std::uint8_t>(1 + random.below(15))};
    }
  }
  std::vector<Move> all_row_flips() const {
    std::vector<Move> moves;
    for (std::uint32_t l = 0; l < plan.layers.size(); ++l)
      for (std::uint32_t u = 0; u < plan.layers[l].units; ++u) append_row_flips(plan.layers[l], l, u, moves);
    return moves;
  }

  BooleanNetwork network;
  Dataset data;
  std::vector<std::uint32_t> indices;
  Encoder encoder;
  Augmenter augmenter;
  Plan plan;
  CountLoss loss;
};

}  // namespace firn
