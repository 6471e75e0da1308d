#include "firn/logic/evaluate.h"

#include <algorithm>
#include <array>

#include "firn/base/error.h"
#include "firn/kernels/bits.h"

namespace firn {

namespace {

constexpr auto kBitGates = [] {
  std::array<std::uint64_t[4], kGates> table{};
  for (int g = 0; g < kGates; ++g) {
    const auto value = [g](bool a, bool b) { return eval(static_cast<Gate>(g), a, b); };
    const bool terms[4] = {value(0, 0), value(0, 0) != value(1, 0), value(0, 0) != value(0, 1),
                           (value(0, 0) != value(0, 1)) != (value(1, 0) != value(1, 1))};
    for (int t = 0; t < 4; ++t) table[g][t] = terms[t] ? ~std::uint64_t{0} : 0;
  }
  return table;
}();

const std::uint8_t* numbers(const std::vector<Gate>& gates) {
  return reinterpret_cast<const std::uint8_t*>(gates.data());  // Gate is an enum of that type
}

std::vector<std::uint32_t> leaf_rows(const BooleanConv& conv, const RowLayout& in) {
  std::vector<std::uint32_t> rows;
  rows.reserve(conv.leaf_channel.size());
  for (std::size_t l = 0; l < conv.leaf_channel.size(); ++l) {
    const std::size_t y = conv.leaf_place[l] / conv.side, x = conv.leaf_place[l] % conv.side;
    rows.push_back(static_cast<std::uint32_t>(conv.leaf_channel[l] * in.plane() + y * in.line() + x));
  }
  return rows;
}

std::vector<std::uint32_t> wire_rows(const BooleanDense& dense, const RowLayout& in) {
  std::vector<std::uint32_t> rows;
  rows.reserve(dense.wires.size());
  for (std::uint32_t wire : dense.wires) rows.push_back(static_cast<std::uint32_t>(in.row_of_feature(wire)));
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

void run_conv(const BooleanConv& conv, const RowLayout& in, const RowLayout& out, const std::uint32_t* leaves,
              std::size_t words, const std::uint64_t* from, std::uint64_t* to, Threads& threads) {
  const std::size_t leaf_count = std::size_t{1} << conv.depth;
  for_each_part(conv.out.channels, threads, [&](std::size_t first, std::size_t kernels) {
    BitConv part;
    part.depth = static_cast<int>(conv.depth);
    part.pool = static_cast<int>(conv.pool);
    part.stride = conv.stride;
    part.kernels = kernels;
    part.leaves = leaves + first * leaf_count;
    part.gates = numbers(conv.gates) + first * (leaf_count - 1);
    part.table = kBitGates.data();
    part.in_line = in.line();
    part.out_height = conv.out.height;
    part.out_width = conv.out.width;
    part.out_first = out.row(first, 0, 0);
    part.out_plane = out.plane();
    part.out_line = out.line();
    bit_conv(part, words, from, to);
  });
}

void run_dense(const BooleanDense& dense, const std::uint32_t* wires, std::size_t words, const std::uint64_t* from,
               std::uint64_t* to, Threads& threads) {
  for_each_part(dense.gates.size(), threads, [&](std::size_t first, std::size_t neurons) {
    bit_dense({neurons, wires + 2 * first, numbers(dense.gates) + first, kBitGates.data()}, words, from,
              to + first * words);
  });
}

void run_pool(const BooleanPool& pool, const RowLayout& in, const RowLayout& out, std::size_t words,
              const std::uint64_t* from, std::uint64_t* to, Threads& threads) {
  for_each_part(pool.out.channels, threads, [&](std::size_t first, std::size_t channels) {
    for (std::size_t c = first; c < first + channels; ++c)
      bit_or_pool(pool.out.height, pool.out.width, in.line(), out.line(), words, from + in.row(c, 0, 0) * words,
                  to + out.row(c, 0, 0) * words);
  });
}

}  // namespace

BitEvaluator::BitEvaluator(const BooleanNetwork& network, std::size_t words) : network_(network), words_(words) {
  FIRN_CHECK(words > 0 && words % 2 == 0 && !network.layers.empty());
  const std::size_t alignment = words % 8 == 0 ? 64 : 16;
  RowLayout in{network.input, padding_of(network.layers.front())};
  bordered_input_ = Matrix<std::uint64_t>(in.rows(), words, alignment);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const BooleanLayer& layer = network.layers[i];
    const std::size_t border = i + 1 < network.layers.size() ? padding_of(network.layers[i + 1]) : 0;
    Stage stage{in, RowLayout{output_shape(layer), border}, {}, {}};
    if (const auto* conv = std::get_if<BooleanConv>(&layer)) stage.rows = leaf_rows(*conv, in);
    if (const auto* dense = std::get_if<BooleanDense>(&layer)) stage.rows = wire_rows(*dense, in);
    stage.values = Matrix<std::uint64_t>(stage.out.rows(), words, alignment);
    in = stage.out;
    stages_.push_back(std::move(stage));
  }
}

void BitEvaluator::run_layer(std::size_t index, const Matrix<std::uint64_t>& in, Threads& threads) {
  Stage& stage = stages_[index];
  const BooleanLayer& layer = network_.layers[index];
  if (const auto* conv = std::get_if<BooleanConv>(&layer))
    run_conv(*conv, stage.in, stage.out, stage.rows.data(), words_, in.data(), stage.values.data(), threads);
  else if (const auto* dense = std::get_if<BooleanDense>(&layer))
    run_dense(*dense, stage.rows.data(), words_, in.data(), stage.values.data(), threads);
  else
    run_pool(std::get<BooleanPool>(layer), stage.in, stage.out, words_, in.data(), stage.values.data(), threads);
}

const Matrix<std::uint64_t>& BitEvaluator::run(const Matrix<std::uint64_t>& input, Threads& threads) {
  const RowLayout& in = stages_.front().in;
  FIRN_CHECK(input.rows() == in.shape.size() && input.cols() >= words_);
  for (std::size_t feature = 0; feature < input.rows(); ++feature)
    std::copy_n(input.row(feature), words_, bordered_input_.row(in.row_of_feature(feature)));
  const Matrix<std::uint64_t>* values = &bordered_input_;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    run_layer(i, *values, threads);
    values = &stages_[i].values;
  }
  return *values;
}

const std::vector<std::uint32_t>& BitEvaluator::count(const Matrix<std::uint64_t>& input, Threads& threads) {
  const Matrix<std::uint64_t>& rows = run(input, threads);
  const std::size_t classes = network_.classes, group = rows.rows() / classes;
  FIRN_CHECK(classes > 0 && group * classes == rows.rows());
  counts_.resize(classes * samples());
  threads.for_each(classes, [&](std::size_t c, std::size_t) {
    count_bits(1, group, words_, rows.row(c * group), counts_.data() + c * samples());
  });
  return counts_;
}

const std::vector<std::uint16_t>& BitEvaluator::predict(const Matrix<std::uint64_t>& input, Threads& threads) {
  FIRN_CHECK(network_.classes > 1);
  count(input, threads);
  predictions_.assign(samples(), 0);
  for (std::size_t s = 0; s < samples(); ++s)
    for (std::size_t c = 1; c < network_.classes; ++c)
      if (counts_[c * samples() + s] > counts_[predictions_[s] * samples() + s])
        predictions_[s] = static_cast<std::uint16_t>(c);
  return predictions_;
}

}  // namespace firn
