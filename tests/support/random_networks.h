// Random Boolean networks for tests, bits to run them on, and the slow and obvious way to evaluate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "firn/logic/boolean_network.h"

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

inline BooleanDense random_boolean_dense(std::size_t inputs, std::size_t outputs, RandomSequence& random) {
  BooleanDense dense;
  dense.inputs = inputs;
  for (std::size_t n = 0; n < outputs; ++n) {
    for (int i = 0; i < 2; ++i) dense.wires.push_back(random.below(static_cast<std::uint32_t>(inputs)));
    dense.gates.push_back(random_gate(random));
  }
  return dense;
}

inline BooleanConv random_boolean_conv(Shape in, std::size_t kernels, RandomSequence& random) {
  BooleanConv conv;
  conv.in = in;
  conv.depth = 1 + random.below(4);
  conv.side = 1 + random.below(3);
  conv.padding = random.below(static_cast<std::uint32_t>(conv.side));
  conv.stride = 1 + random.below(2);
  const auto extent = [&](std::size_t size) { return (size + 2 * conv.padding - conv.side) / conv.stride + 1; };
  conv.pool = extent(in.height) >= 2 && extent(in.width) >= 2 ? 1 + random.below(2) : 1;
  conv.out = {kernels, extent(in.height) / conv.pool, extent(in.width) / conv.pool};
  for (std::size_t l = 0; l < kernels << conv.depth; ++l) {
    conv.leaf_channel.push_back(random.below(static_cast<std::uint32_t>(in.channels)));
    conv.leaf_place.push_back(
        static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(conv.side * conv.side))));
  }
  for (std::size_t g = 0; g < (kernels << conv.depth) - kernels; ++g) conv.gates.push_back(random_gate(random));
  return conv;
}

// Up to two convolutions, perhaps a pool, then one to three dense layers and three classes.
inline BooleanNetwork random_network(std::uint64_t seed) {
  RandomSequence random(seed, "test/network");
  BooleanNetwork network;
  network.input = {1 + random.below(3), 3 + random.below(4), 3 + random.below(4)};
  const auto add = [&](BooleanLayer layer) {
    network.names.push_back("layer" + std::to_string(network.layers.size()));
    network.layers.push_back(std::move(layer));
  };
  Shape shape = network.input;
  for (std::uint32_t convs = random.below(3); convs > 0 && shape.height >= 3 && shape.width >= 3; --convs) {
    add(random_boolean_conv(shape, 1 + random.below(4), random));
    shape = output_shape(network.layers.back());
  }
  if (shape.height >= 2 && shape.width >= 2 && random.below(3) == 0) {
    add(BooleanPool{shape, {shape.channels, shape.height / 2, shape.width / 2}});
    shape = output_shape(network.layers.back());
  }
  std::size_t features = shape.size();
  for (std::uint32_t layers = 1 + random.below(3); layers > 0; --layers) {
    const std::size_t outputs = layers == 1 ? 3 * (1 + random.below(12)) : 4 + random.below(40);
    add(random_boolean_dense(features, outputs, random));
    features = outputs;
  }
  network.classes = 3;
  return network;
}

// One sample through one layer, feature by feature.
inline std::vector<bool> evaluate_slowly(const BooleanLayer& layer, const std::vector<bool>& in) {
  std::vector<bool> out;
  if (const auto* dense = std::get_if<BooleanDense>(&layer)) {
    for (std::size_t n = 0; n < dense->gates.size(); ++n)
      out.push_back(eval(dense->gates[n], in[dense->wires[2 * n]], in[dense->wires[2 * n + 1]]));
    return out;
  }
  const Shape from = input_shape(layer), to = output_shape(layer);
  const auto at = [&](std::size_t c, std::ptrdiff_t y, std::ptrdiff_t x) {
    const auto height = static_cast<std::ptrdiff_t>(from.height), width = static_cast<std::ptrdiff_t>(from.width);
    return y >= 0 && x >= 0 && y < height && x < width && in[(c * from.height + y) * from.width + x];
  };
  const auto* conv = std::get_if<BooleanConv>(&layer);
  const auto tree = [&](std::size_t k, std::size_t y, std::size_t x) {
    std::vector<bool> level;
    for (std::size_t l = k << conv->depth; l < (k + 1) << conv->depth; ++l)
      level.push_back(at(conv->leaf_channel[l],
                         static_cast<std::ptrdiff_t>(y * conv->stride + conv->leaf_place[l] / conv->side) -
                             static_cast<std::ptrdiff_t>(conv->padding),
                         static_cast<std::ptrdiff_t>(x * conv->stride + conv->leaf_place[l] % conv->side) -
                             static_cast<std::ptrdiff_t>(conv->padding)));
    std::size_t gate = k * (level.size() - 1);
    while (level.size() > 1) {
      for (std::size_t i = 0; i < level.size() / 2; ++i)
        level[i] = eval(conv->gates[gate++], level[2 * i], level[2 * i + 1]);
      level.resize(level.size() / 2);
    }
    return static_cast<bool>(level[0]);
  };
  const std::size_t pool = conv != nullptr ? conv->pool : 2;
  for (std::size_t c = 0; c < to.channels; ++c)
    for (std::size_t y = 0; y < to.height; ++y)
      for (std::size_t x = 0; x < to.width; ++x) {
        bool any = false;
        for (std::size_t p = 0; p < pool * pool; ++p) {
          const std::size_t py = y * pool + p / pool, px = x * pool + p % pool;
          any |= conv != nullptr ? tree(c, py, px)
                                 : at(c, static_cast<std::ptrdiff_t>(py), static_cast<std::ptrdiff_t>(px));
        }
        out.push_back(any);
      }
  return out;
}

// All layers on all samples of `in` ([feature][words]): the rows of the last layer.
inline Matrix<std::uint64_t> evaluate_slowly(const BooleanNetwork& network, const Matrix<std::uint64_t>& in) {
  Matrix<std::uint64_t> out(output_shape(network.layers.back()).size(), in.cols());
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
