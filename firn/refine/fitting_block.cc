#include "firn/refine/fitting_block.h"

#include <algorithm>
#include <array>
#include <bit>

#include "firn/base/error.h"

namespace firn::refine {

namespace {

template <class Visit>
void for_each_sample(const std::uint64_t* mask, const Visit& visit) {
  for (std::size_t word = 0; word < kBlockWords; ++word)
    for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1)
      visit(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
}

template <class T>
std::span<T> sample_of(std::vector<T>& values, std::size_t sample, std::size_t groups) {
  return {values.data() + sample * groups, groups};
}
template <class T>
std::span<const T> sample_of(const std::vector<T>& values, std::size_t sample, std::size_t groups) {
  return {values.data() + sample * groups, groups};
}

}  // namespace

FittingBlock::FittingBlock(const Plan& plan, const CountLoss& loss, std::span<const std::uint16_t> block_labels,
                           std::uint64_t* block_wires)
    : labels(block_labels),
      wires(block_wires),
      counts(kBlockSamples * loss.groups()),
      softmax(kBlockSamples * loss.groups()) {
  FIRN_CHECK(labels.size() <= kBlockSamples);
  if (!plan.layers.back().is_placed_once()) return;
  up.resize(kBlockSamples * loss.groups());
  down.resize(kBlockSamples * loss.groups());
}

std::size_t FittingBlock::bytes(const Plan& plan) {
  const std::size_t sample_bytes =
      sizeof(std::int32_t) + sizeof(double) * (plan.layers.back().is_placed_once() ? 3 : 1);
  return plan.rows * kBlockWords * sizeof(std::uint64_t) + kBlockSamples * plan.head.groups * sample_bytes;
}

BlockSimulator::BlockSimulator(const Plan& plan, const CountLoss& loss)
    : plan_(plan),
      loss_(loss),
      values_(1, kBlockSamples),
      delta_(kBlockSamples * loss.groups()),
      touched_(kBlockWords) {
  std::size_t most_outputs = 1;
  for (const PlanLayer& layer : plan.layers) {
    changes_.push_back({std::vector<std::uint32_t>(layer.output_count()),
                        Matrix<std::uint64_t>(layer.output_count() + 1, kBlockWords)});
    stamp_.emplace_back(layer.output_count());
    most_outputs = std::max(most_outputs, layer.outputs);
  }
  flipped_ = Matrix<std::uint64_t>(16 * most_outputs, kBlockWords);
}

void BlockSimulator::fill(const Matrix<std::uint64_t>& bits, FittingBlock& block) {
  for (std::size_t f = 0; f < plan_.inputs; ++f) std::copy_n(bits.row(f), kBlockWords, block.row(plan_.input_row(f)));
  for (const PlanLayer& layer : plan_.layers) compute_units(layer.cone(), 0, layer.units, block.wires);
  const PlanLayer& last = plan_.layers.back();
  const std::size_t groups = loss_.groups();
  std::ranges::fill(block.counts, 0);
  for (std::size_t o = 0; o < last.output_count(); ++o)
    for_each_sample(block.row(last.first_row + o),
                    [&](std::size_t s) { ++block.counts[s * groups + o / plan_.group_rows()]; });
  for (std::size_t s = 0; s < block.labels.size(); ++s) refresh(block, s);
}

void BlockSimulator::refresh(FittingBlock& block, std::size_t sample) const {
  const std::size_t groups = loss_.groups();
  const auto counts = sample_of(std::as_const(block.counts), sample, groups);
  const auto softmax = sample_of(block.softmax, sample, groups);
  loss_.prepare(counts, softmax);
  if (block.up.empty()) return;
  std::vector<std::int32_t> step(groups);
  const auto change_by = [&](std::size_t group, std::int32_t by) {
    step[group] = by;
    const double change = loss_.change(counts, softmax, block.labels[sample], step);
    step[group] = 0;
    return change;
  };
  const auto most = static_cast<std::int32_t>(plan_.group_rows());
  for (std::size_t c = 0; c < groups; ++c) {
    block.up[c * kBlockSamples + sample] = counts[c] < most ? change_by(c, 1) : 0;
    block.down[c * kBlockSamples + sample] = counts[c] > 0 ? change_by(c, -1) : 0;
  }
}

LossSum BlockSimulator::loss(const FittingBlock& block) const {
  LossSum sum;
  for (std::size_t s = 0; s < block.labels.size(); ++s) {
    const auto counts = sample_of(block.counts, s, loss_.groups());
    sum.loss += loss_.value(counts, block.labels[s]);
    sum.correct += loss_.predicted(counts) == block.labels[s];
  }
  return sum;
}

void BlockSimulator::price(std::size_t layer, std::size_t unit, std::span<const UnitFlip> flips, FittingBlock& block,
                           double* sums) {
  if (!plan_.layers[layer].is_placed_once()) return price_shared(layer, unit, flips, block, sums);
  if (masks_.rows() < flips.size()) masks_ = Matrix<std::uint64_t>(flips.size(), kBlockWords);
  flip_masks(plan_.layers[layer].cone(), unit, flips, block.wires, masks_.data());
  if (layer + 1 == plan_.layers.size()) return price_last(unit, flips, block, sums);
  price_placed_once(layer, unit, flips, block, sums);
}

// Placements of a gate share a sample, so that rows interact: each flip is simulated.
void BlockSimulator::price_shared(std::size_t layer, std::size_t unit, std::span<const UnitFlip> flips,
                                  FittingBlock& block, double* sums) {
  const PlanLayer& units = plan_.layers[layer];
  for (std::size_t first = 0, count; first < flips.size(); first += count) {
    std::array<std::uint8_t, 16> rows;
    for (count = 0; count < rows.size() && first + count < flips.size(); ++count) {
      if (flips[first + count].gate != flips[first].gate) break;
      rows[count] = flips[first + count].flip;
    }
    flipped_outputs(units.cone(), unit, flips[first].gate, {rows.data(), count}, block.wires, flipped_.data());
    for (std::size_t i = 0; i < count; ++i) {
      write_outputs(layer, unit, flipped_.row(i * units.outputs), block);
      propagate(layer, block);
      add_changes(block, sums + (first + i) * kBlockSamples);
      undo(layer, block);
    }
  }
}

// A sample sees the gate once and its loss depends on the gate through one bit: the flip of all four rows of the gate
// prices every set of rows.
void BlockSimulator::price_placed_once(std::size_t layer, std::size_t unit, std::span<const UnitFlip> flips,
                                       FittingBlock& block, double* sums) {
  constexpr std::array<std::uint8_t, 1> kAllRows = {15};
  for (std::size_t first = 0, count; first < flips.size(); first += count) {
    for (count = 1; first + count < flips.size() && flips[first + count].gate == flips[first].gate;) ++count;
    flipped_outputs(plan_.layers[layer].cone(), unit, flips[first].gate, kAllRows, block.wires, flipped_.data());
    write_outputs(layer, unit, flipped_.data(), block);
    propagate(layer, block);
    std::fill_n(values_.data(), kBlockSamples, 0.0);
    add_changes(block, values_.data());
    undo(layer, block);
    add_masked(count, masks_.row(first), values_.data(), sums + first * kBlockSamples);
  }
}

// A flip of an output moves one count by one: the change of the loss is in a table.
void BlockSimulator::price_last(std::size_t unit, std::span<const UnitFlip> flips, const FittingBlock& block,
                                double* sums) {
  const std::size_t group = unit / plan_.group_rows();
  const double* up = block.up.data() + group * kBlockSamples;
  const double* down = block.down.data() + group * kBlockSamples;
  const std::uint64_t* root = block.row(plan_.layers.back().first_row + unit);
  double* values = values_.data();
  for (std::size_t s = 0; s < kBlockSamples; ++s) values[s] = (root[s / 64] >> (s % 64)) & 1 ? down[s] : up[s];
  add_masked(flips.size(), masks_.data(), values, sums);
}

void BlockSimulator::write_outputs(std::size_t layer, std::size_t unit, const std::uint64_t* values,
                                   FittingBlock& block) {
  const PlanLayer& units = plan_.layers[layer];
  Changes& changes = changes_[layer];
  changes.count = 0;
  for (std::size_t o = 0; o < units.outputs; ++o, values += kBlockWords) {
    const auto number = static_cast<std::uint32_t>(unit * units.outputs + o);
    std::uint64_t* row = block.row(units.first_row + number);
    if (std::equal(values, values + kBlockWords, row)) continue;
    std::copy_n(row, kBlockWords, changes.before.row(changes.count));
    std::copy_n(values, kBlockWords, row);
    changes.outputs[changes.count++] = number;
  }
}

// Carries changes of a layer through those above it, and stops where nothing changes.
void BlockSimulator::propagate(std::size_t layer, FittingBlock& block) {
  for (std::size_t l = layer + 1; l < plan_.layers.size(); ++l) {
    const PlanLayer& above = plan_.layers[l];
    if (++time_ == 0) {
      for (auto& stamps : stamp_) std::ranges::fill(stamps, 0);
      time_ = 1;
    }
    listed_.clear();
    for (std::size_t i = 0; i < changes_[l - 1].count; ++i)
      for (std::uint32_t reader : above.readers_of(changes_[l - 1].outputs[i]))
        if (stamp_[l][reader] != time_) {
          stamp_[l][reader] = time_;
          listed_.push_back(reader);
        }
    ConeChange change{changes_[l].outputs.data(), changes_[l].before.data(), 0};
    recompute_outputs(above.cone(), listed_, block.wires, change);
    changes_[l].count = change.count;
  }
}

void BlockSimulator::undo(std::size_t layer, FittingBlock& block) {
  for (std::size_t l = layer; l < plan_.layers.size(); ++l)
    for (std::size_t i = 0; i < changes_[l].count; ++i)
      std::copy_n(changes_[l].before.row(i), kBlockWords,
                  block.row(plan_.layers[l].first_row + changes_[l].outputs[i]));
}

// Turns the changes of the last layer into changes of counts.
void BlockSimulator::collect_deltas(const FittingBlock& block) {
  const PlanLayer& last = plan_.layers.back();
  const Changes& changes = changes_.back();
  const std::size_t groups = loss_.groups();
  for (std::size_t i = 0; i < changes.count; ++i) {
    const std::uint64_t *after = block.row(last.first_row + changes.outputs[i]), *before = changes.before.row(i);
    const std::size_t group = changes.outputs[i] / plan_.group_rows();
    std::uint64_t difference[kBlockWords];
    for (std::size_t w = 0; w < kBlockWords; ++w) touched_[w] |= difference[w] = after[w] ^ before[w];
    for_each_sample(difference,
                    [&](std::size_t s) { delta_[s * groups + group] += (after[s / 64] >> (s % 64)) & 1 ? 1 : -1; });
  }
}

void BlockSimulator::clear_deltas() {
  const std::size_t groups = loss_.groups();
  for_each_sample(touched_.data(), [&](std::size_t s) { std::ranges::fill(sample_of(delta_, s, groups), 0); });
  std::ranges::fill(touched_, 0);
}

void BlockSimulator::add_changes(const FittingBlock& block, double* sums) {
  collect_deltas(block);
  const std::size_t groups = loss_.groups();
  for_each_sample(touched_.data(), [&](std::size_t s) {
    if (s >= block.labels.size()) return;
    sums[s] += loss_.change(sample_of(block.counts, s, groups), sample_of(block.softmax, s, groups), block.labels[s],
                            sample_of(std::as_const(delta_), s, groups));
  });
  clear_deltas();
}

void BlockSimulator::apply(std::size_t layer, std::size_t unit, FittingBlock& block) {
  const PlanLayer& units = plan_.layers[layer];
  listed_.clear();
  for (std::size_t o = 0; o < units.outputs; ++o)
    listed_.push_back(static_cast<std::uint32_t>(unit * units.outputs + o));
  ConeChange change{changes_[layer].outputs.data(), changes_[layer].before.data(), 0};
  recompute_outputs(units.cone(), listed_, block.wires, change);
  changes_[layer].count = change.count;
  propagate(layer, block);
  collect_deltas(block);
  const std::size_t groups = loss_.groups();
  for_each_sample(touched_.data(), [&](std::size_t s) {
    for (std::size_t c = 0; c < groups; ++c) block.counts[s * groups + c] += delta_[s * groups + c];
    if (s < block.labels.size()) refresh(block, s);
  });
  clear_deltas();
}

}  // namespace firn::refine
