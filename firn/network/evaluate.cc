#include "firn/network/evaluate.h"

#include <algorithm>
#include <array>

#include "firn/base/error.h"
#include "firn/kernels/bits.h"
#include "firn/kernels/tree.h"

namespace firn::network {

namespace {

const std::uint8_t* numbers(const std::vector<Gate>& gates) {
  return reinterpret_cast<const std::uint8_t*>(gates.data());  // Gate is an enum of that type
}

std::vector<std::uint32_t> first_rows(const LayerDescription& layer, const RowLayout& in) {
  std::vector<std::uint32_t> rows;
  rows.reserve(layer.tap_channel.size());
  for (std::size_t u = 0; u < layer.units(); ++u)
    for (std::size_t t = 0; t < layer.taps; ++t) rows.push_back(layer.first_row(u, t, in));
  return rows;
}

// Splits [0, count) into a few parts per thread and runs them in parallel.
template <class Body>
void for_each_part(std::size_t count, Threads& threads, const Body& body) {
  const std::size_t parts = threads.count() == 1 ? 1 : std::min<std::size_t>(count, 4 * threads.count());
  threads.for_each(parts, [&](std::size_t part, std::size_t) {
    const std::size_t first = count * part / parts;
    body(first, count * (part + 1) / parts - first);
  });
}

// What a layer reads and writes.
struct Rows {
  const RowLayout &in, &out;
  const std::uint32_t* taps;  // as in Stage
  std::size_t words;
  const std::uint64_t* from;
  std::uint64_t* to;
};

void run_trees(const BooleanLayer& layer, std::size_t depth, const Rows& rows, Threads& threads) {
  const LayerDescription& wiring = layer.wiring;
  for_each_part(wiring.units(), threads, [&](std::size_t first, std::size_t filters) {
    BitConv part;
    part.depth = static_cast<int>(depth);
    part.pool = static_cast<int>(wiring.pool.height);
    part.stride = wiring.stride;
    part.filters = filters;
    part.leaves = rows.taps + first * wiring.taps;
    part.gates = numbers(layer.gates) + first * wiring.gates;
    part.in_line = rows.in.line();
    part.out_height = wiring.output.height;
    part.out_width = wiring.output.width;
    part.out_first = rows.out.row(first, 0, 0);
    part.out_plane = rows.out.plane();
    part.out_line = rows.out.line();
    bit_conv(part, rows.words, rows.from, rows.to);
  });
}

void run_dense(const BooleanLayer& layer, const Rows& rows, Threads& threads) {
  for_each_part(layer.gates.size(), threads, [&](std::size_t first, std::size_t gates) {
    bit_dense({gates, rows.taps + 2 * first, numbers(layer.gates) + first}, rows.words, rows.from,
              rows.to + first * rows.words);
  });
}

void run_pool(const LayerDescription& pool, const Rows& rows, Threads& threads) {
  for_each_part(pool.units(), threads, [&](std::size_t first, std::size_t channels) {
    for (std::size_t c = first; c < first + channels; ++c)
      bit_or_pool(pool.output.height, pool.output.width, rows.in.line(), rows.out.line(), rows.words,
                  rows.from + rows.in.row(c, 0, 0) * rows.words, rows.to + rows.out.row(c, 0, 0) * rows.words);
  });
}

// One word of one placement: taps from the rows, then gate by gate to the last node.
std::uint64_t run_unit(const BooleanLayer& layer, std::size_t unit, const Rows& rows, std::size_t row_offset,
                       std::size_t word) {
  const LayerDescription& wiring = layer.wiring;
  std::uint64_t node[kMaxUnitTaps + kMaxUnitGates];
  for (std::size_t t = 0; t < wiring.taps; ++t)
    node[t] = rows.from[(rows.taps[unit * wiring.taps + t] + row_offset) * rows.words + word];
  for (std::size_t g = 0; g < wiring.gates; ++g)
    node[wiring.taps + g] =
        apply(layer.gates[unit * wiring.gates + g], node[wiring.operands[2 * g]], node[wiring.operands[2 * g + 1]]);
  return node[wiring.nodes() - 1];
}

void run_gate_by_gate(const BooleanLayer& layer, const Rows& rows, Threads& threads) {
  const LayerDescription& wiring = layer.wiring;
  threads.for_each(wiring.units(), [&](std::size_t unit, std::size_t) {
    for (std::size_t o = 0; o < wiring.unit_outputs(); ++o) {
      const std::size_t y = o / wiring.output.width, x = o % wiring.output.width;
      std::uint64_t* to = rows.to + rows.out.row(unit, y, x) * rows.words;
      std::fill_n(to, rows.words, 0);
      for (std::size_t p = 0; p < wiring.pool.size(); ++p) {
        const std::size_t line = y * wiring.pool.height + p / wiring.pool.width;
        const std::size_t column = x * wiring.pool.width + p % wiring.pool.width;
        const std::size_t offset = wiring.stride * (line * rows.in.line() + column);
        for (std::size_t w = 0; w < rows.words; ++w) to[w] |= run_unit(layer, unit, rows, offset, w);
      }
    }
  });
}

void run_layer(const BooleanLayer& layer, const Rows& rows, Threads& threads) {
  const LayerDescription& wiring = layer.wiring;
  const std::size_t depth = tree_depth(wiring);
  const bool has_known_pool = wiring.pool.size() == 1 || wiring.pool == Extent{2, 2};
  if (depth == 1 && is_placed_once(wiring) && rows.out.border == 0) return run_dense(layer, rows, threads);
  if (depth >= 1 && depth <= kMaxTreeDepth && has_known_pool) return run_trees(layer, depth, rows, threads);
  if (is_pool(wiring)) return run_pool(wiring, rows, threads);
  run_gate_by_gate(layer, rows, threads);
}

}  // namespace

BitEvaluator::BitEvaluator(const BooleanNetwork& network, std::size_t words) : network_(network), words_(words) {
  FIRN_CHECK(words > 0 && words % 2 == 0 && !network.layers.empty());
  const std::size_t alignment = words % 8 == 0 ? 64 : 16;
  RowLayout in{network.input, network.layers.front().wiring.border()};
  bordered_input_ = Matrix<std::uint64_t>(in.rows(), words, alignment);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const LayerDescription& layer = network.layers[i].wiring;
    const std::size_t border = i + 1 < network.layers.size() ? network.layers[i + 1].wiring.border() : 0;
    in.shape = layer.input;
    Stage stage{in, RowLayout{layer.output, border}, first_rows(layer, in), {}};
    stage.values = Matrix<std::uint64_t>(stage.out.rows(), words, alignment);
    in = stage.out;
    stages_.push_back(std::move(stage));
  }
}

const Matrix<std::uint64_t>& BitEvaluator::run(const Matrix<std::uint64_t>& input, Threads& threads) {
  const RowLayout& in = stages_.front().in;
  FIRN_CHECK(input.rows() == in.shape.size() && input.cols() >= words_);
  for (std::size_t feature = 0; feature < input.rows(); ++feature)
    std::copy_n(input.row(feature), words_, bordered_input_.row(in.row_of_feature(feature)));
  const Matrix<std::uint64_t>* values = &bordered_input_;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage& stage = stages_[i];
    run_layer(network_.layers[i], {stage.in, stage.out, stage.rows.data(), words_, values->data(), stage.values.data()},
              threads);
    values = &stages_[i].values;
  }
  return *values;
}

const std::vector<std::uint32_t>& BitEvaluator::count(const Matrix<std::uint64_t>& input, Threads& threads) {
  const Matrix<std::uint64_t>& rows = run(input, threads);
  const std::size_t groups = network_.head.groups, group = rows.rows() / groups;
  FIRN_CHECK(groups > 0 && group * groups == rows.rows());
  counts_.resize(groups * samples());
  threads.for_each(groups, [&](std::size_t c, std::size_t) {
    count_bits(1, group, words_, rows.row(c * group), counts_.data() + c * samples());
  });
  return counts_;
}

const std::vector<std::uint16_t>& BitEvaluator::predict(const Matrix<std::uint64_t>& input, Threads& threads) {
  FIRN_CHECK(network_.head.groups > 1);
  count(input, threads);
  predictions_.assign(samples(), 0);
  for (std::size_t s = 0; s < samples(); ++s)
    for (std::size_t c = 1; c < network_.head.groups; ++c)
      if (counts_[c * samples() + s] > counts_[predictions_[s] * samples() + s])
        predictions_[s] = static_cast<std::uint16_t>(c);
  return predictions_;
}

}  // namespace firn::network
