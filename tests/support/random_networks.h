// Random Boolean networks for tests, bits to run them on, and the slow and obvious way to evaluate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "firn/network/boolean_network.h"
#include "firn/network/kinds/or_pool.h"

namespace firn {

inline Matrix<std::uint64_t> random_words(std::size_t rows, std::size_t words, std::uint64_t seed) {
  Matrix<std::uint64_t> bits(rows, words);
  RandomSequence random(seed, "test/words");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::uint64_t& word : bits[r]) word = (std::uint64_t{random.next()} << 32) | random.next();
  return bits;
}

inline bool bit_of(std::span<const std::uint64_t> row, std::size_t sample) {
  return (row[sample / 64] >> (sample % 64)) & 1;
}

inline Gate random_gate(RandomSequence& random) {
  return static_cast<Gate>(random.below(kGates));
}

inline BooleanLayer random_boolean_dense(std::size_t inputs, std::size_t outputs, RandomSequence& random) {
  std::vector<std::uint32_t> wires;
  std::vector<Gate> gates;
  for (std::size_t n = 0; n < outputs; ++n) {
    for (int i = 0; i < 2; ++i) wires.push_back(random.below(static_cast<std::uint32_t>(inputs)));
    gates.push_back(random_gate(random));
  }
  return boolean_dense("", inputs, std::move(wires), std::move(gates));
}

inline BooleanLayer random_boolean_conv(Shape in, std::size_t filters, RandomSequence& random) {
  BooleanLayer layer;
  LayerDescription& conv = layer.wiring;
  conv.kind = "tree-conv";
  conv.input = in;
  const std::size_t depth = 1 + random.below(4), side = 1 + random.below(3);
  const std::size_t padding = random.below(static_cast<std::uint32_t>(side));
  conv.taps = std::size_t{1} << depth;
  conv.gates = conv.taps - 1;
  conv.operands = tree_operands(depth);
  conv.window = {side, side};
  conv.padding = {padding, padding};
  conv.stride = 1 + random.below(2);
  const auto extent = [&](std::size_t size) { return (size + 2 * padding - side) / conv.stride + 1; };
  const std::size_t pool = extent(in.height) >= 2 && extent(in.width) >= 2 ? 1 + random.below(2) : 1;
  conv.pool = {pool, pool};
  conv.output = {filters, extent(in.height) / pool, extent(in.width) / pool};
  for (std::size_t l = 0; l < filters * conv.taps; ++l) {
    conv.tap_channel.push_back(random.below(static_cast<std::uint32_t>(in.channels)));
    const auto place = static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(side * side)));
    if (side > 1) conv.tap_place.push_back(place);
  }
  for (std::size_t g = 0; g < filters * conv.gates; ++g) layer.gates.push_back(random_gate(random));
  return layer;
}

inline BooleanLayer boolean_pool(Shape in) {
  LayerPlace place;
  place.name = "pool";
  place.input = {in.channels, in.height / 2 * 2, in.width / 2 * 2};
  BooleanLayer layer{OrPoolSettings().build(place), {}};
  layer.wiring.input = in;
  return layer;
}

// Up to two convolutions, perhaps a pool, then one to three dense layers and three classes.
inline BooleanNetwork random_network(std::uint64_t seed) {
  RandomSequence random(seed, "test/network");
  BooleanNetwork network;
  network.input = {1 + random.below(3), 3 + random.below(4), 3 + random.below(4)};
  const auto add = [&](BooleanLayer layer) {
    layer.wiring.name = "layer" + std::to_string(network.layers.size());
    network.layers.push_back(std::move(layer));
  };
  Shape shape = network.input;
  for (std::uint32_t convs = random.below(3); convs > 0 && shape.height >= 3 && shape.width >= 3; --convs) {
    add(random_boolean_conv(shape, 1 + random.below(4), random));
    shape = network.layers.back().wiring.output;
  }
  if (shape.height >= 2 && shape.width >= 2 && random.below(3) == 0) {
    add(boolean_pool(shape));
    shape = network.layers.back().wiring.output;
  }
  std::size_t features = shape.size();
  for (std::uint32_t layers = 1 + random.below(3); layers > 0; --layers) {
    const std::size_t outputs = layers == 1 ? 3 * (1 + random.below(12)) : 4 + random.below(40);
    add(random_boolean_dense(features, outputs, random));
    features = outputs;
  }
  network.head.groups = 3;
  return network;
}

// One sample through one layer, feature by feature.
inline std::vector<bool> evaluate_slowly(const BooleanLayer& layer, const std::vector<bool>& in) {
  const LayerDescription& w = layer.wiring;
  const auto at = [&](std::size_t c, std::ptrdiff_t y, std::ptrdiff_t x) {
    const auto height = static_cast<std::ptrdiff_t>(w.input.height), width = static_cast<std::ptrdiff_t>(w.input.width);
    return y >= 0 && x >= 0 && y < height && x < width && in[(c * w.input.height + y) * w.input.width + x];
  };
  const auto unit = [&](std::size_t u, std::size_t y, std::size_t x) {
    std::vector<bool> nodes;
    for (std::size_t t = u * w.taps; t < (u + 1) * w.taps; ++t) {
      const std::size_t place = w.tap_place.empty() ? 0 : w.tap_place[t];
      nodes.push_back(at(w.tap_channel[t],
                         static_cast<std::ptrdiff_t>(y * w.stride + place / w.window.width) -
                             static_cast<std::ptrdiff_t>(w.padding.height),
                         static_cast<std::ptrdiff_t>(x * w.stride + place % w.window.width) -
                             static_cast<std::ptrdiff_t>(w.padding.width)));
    }
    for (std::size_t g = 0; g < w.gates; ++g)
      nodes.push_back(eval(layer.gates[u * w.gates + g], nodes[w.operands[2 * g]], nodes[w.operands[2 * g + 1]]));
    return static_cast<bool>(nodes.back());
  };
  std::vector<bool> out;
  for (std::size_t u = 0; u < w.output.channels; ++u)
    for (std::size_t y = 0; y < w.output.height; ++y)
      for (std::size_t x = 0; x < w.output.width; ++x) {
        bool any = false;
        for (std::size_t py = 0; py < w.pool.height; ++py)
          for (std::size_t px = 0; px < w.pool.width; ++px)
            any |= unit(u, y * w.pool.height + py, x * w.pool.width + px);
        out.push_back(any);
      }
  return out;
}

// All layers on all samples of `in` ([feature][words]): the rows of the last layer.
inline Matrix<std::uint64_t> evaluate_slowly(const BooleanNetwork& network, const Matrix<std::uint64_t>& in) {
  Matrix<std::uint64_t> out(network.outputs(), in.cols());
  for (std::size_t s = 0; s < 64 * in.cols(); ++s) {
    std::vector<bool> values;
    for (std::size_t f = 0; f < in.rows(); ++f) values.push_back(bit_of(in[f], s));
    for (const BooleanLayer& layer : network.layers) values = evaluate_slowly(layer, values);
    for (std::size_t o = 0; o < values.size(); ++o) out[o][s / 64] |= std::uint64_t{values[o]} << (s % 64);
  }
  return out;
}

inline bool same_rows(const Matrix<std::uint64_t>& a, const Matrix<std::uint64_t>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (std::size_t r = 0; r < a.rows(); ++r)
    if (!std::ranges::equal(a[r], b[r])) return false;
  return true;
}

}  // namespace firn
