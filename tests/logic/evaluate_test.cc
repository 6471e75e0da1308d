#include "firn/logic/evaluate.h"

#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "tests/support/each_target.h"

namespace firn {
namespace {

Matrix<std::uint64_t> random_bits(std::size_t rows, std::size_t words) {
  Matrix<std::uint64_t> bits(rows, words, 16);
  RandomSequence random(1, "test/evaluate");
  for (std::size_t r = 0; r < rows; ++r)
    for (std::uint64_t& w : bits[r]) w = (std::uint64_t{random.next()} << 32) | random.next();
  return bits;
}

bool bit(std::span<const std::uint64_t> row, std::size_t s) {
  return (row[s / 64] >> (s % 64)) & 1;
}

TEST(BitEvaluator, EveryGateFollowsItsTruthTable) {
  each_target([](const char* target) {
    for (const std::size_t words : {2, 8}) {
      BooleanNetwork network;
      network.input = {3};
      BooleanDense dense;
      dense.inputs = 3;
      for (std::uint32_t g = 0; g < 16; ++g) {
        dense.wires.insert(dense.wires.end(), {g % 3, (g + 1) % 3});
        dense.gates.push_back(static_cast<Gate>(g));
      }
      network.layers.push_back(dense);
      Threads threads(1);
      const auto in = random_bits(3, words);
      BitEvaluator evaluator(network, words);
      const auto& out = evaluator.run(in, threads);
      for (std::size_t g = 0; g < 16; ++g)
        for (std::size_t s = 0; s < 64 * words; ++s)
          ASSERT_EQ(bit(out[g], s), eval(static_cast<Gate>(g), bit(in[g % 3], s), bit(in[(g + 1) % 3], s)))
              << target << " " << name(static_cast<Gate>(g)) << " words " << words;
    }
  });
}

// Every gate at every level of trees of every depth, with padding, stride and pool, against recursion on single bits.
class ConvCase {
 public:
  ConvCase(std::size_t depth, std::size_t pool, std::size_t stride) {
    RandomSequence random(depth * 10 + pool, "test/conv");
    conv.in = {2, 6, 6};
    const std::size_t side = (6 + 2 - 3) / stride + 1;
    conv.out = {3, side / pool, side / pool};
    conv.depth = depth;
    conv.padding = 1;
    conv.stride = stride;
    conv.pool = pool;
    const std::size_t leaves = std::size_t{1} << depth;
    for (std::size_t l = 0; l < 3 * leaves; ++l) {
      conv.leaf_channel.push_back(random.below(2));
      conv.leaf_place.push_back(static_cast<std::uint8_t>(random.below(9)));
    }
    for (std::size_t g = 0; g < 3 * (leaves - 1); ++g) conv.gates.push_back(static_cast<Gate>(random.below(16)));
  }

  bool leaf(const Matrix<std::uint64_t>& in, std::size_t s, std::size_t index, std::size_t y, std::size_t x) const {
    const std::size_t row = y * conv.stride + conv.leaf_place[index] / 3,
                      column = x * conv.stride + conv.leaf_place[index] % 3;
    if (row < 1 || column < 1 || row > 6 || column > 6) return false;
    return bit(in[conv.leaf_channel[index] * 36 + (row - 1) * 6 + column - 1], s);
  }

  bool root(const Matrix<std::uint64_t>& in, std::size_t s, std::size_t k, std::size_t y, std::size_t x) const {
    const std::size_t leaves = std::size_t{1} << conv.depth;
    std::vector<bool> nodes;
    for (std::size_t l = 0; l < leaves; ++l) nodes.push_back(leaf(in, s, k * leaves + l, y, x));
    for (std::size_t g = 0; g + 1 < leaves; ++g)
      nodes.push_back(eval(conv.gates[k * (leaves - 1) + g], nodes[2 * g], nodes[2 * g + 1]));
    return nodes.back();
  }

  bool output(const Matrix<std::uint64_t>& in, std::size_t s, std::size_t k, std::size_t y, std::size_t x) const {
    bool any = false;
    for (std::size_t p = 0; p < conv.pool * conv.pool; ++p)
      any |= root(in, s, k, y * conv.pool + p / conv.pool, x * conv.pool + p % conv.pool);
    return any;
  }

  BooleanConv conv;
};

TEST(BitEvaluator, TreesFollowTheirGates) {
  each_target([](const char* target) {
    for (std::size_t depth = 1; depth <= 4; ++depth)
      for (const auto& [pool, stride] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 1}, {1, 2}}) {
        const ConvCase c(depth, pool, stride);
        BooleanNetwork network{c.conv.in, {"conv"}, {c.conv}, 0};
        Threads threads(1);
        const auto in = random_bits(72, 2);
        BitEvaluator evaluator(network, 2);
        const auto& out = evaluator.run(in, threads);
        std::size_t row = 0;
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t y = 0; y < c.conv.out.height; ++y)
            for (std::size_t x = 0; x < c.conv.out.width; ++x, ++row)
              for (std::size_t s = 0; s < 128; s += 5)
                ASSERT_EQ(bit(out[row], s), c.output(in, s, k, y, x))
                    << target << " depth " << depth << " pool " << pool;
      }
  });
}

}  // namespace
}  // namespace firn
