#include "firn/diagnose/cone_network.h"

#include <algorithm>
#include <bit>

#include "firn/base/error.h"

namespace firn::diagnose {

namespace {

std::size_t outputs_of(const auto& stage) {
  return std::visit([](const auto& s) { return s.outputs(); }, stage);
}

std::size_t unit_outputs_of(const auto& stage) {
  return std::visit([](const auto& s) { return s.unit_outputs; }, stage);
}

}  // namespace

std::size_t ConeNetwork::positions(std::size_t neuron) const {
  const auto& stage = stages_[homes_[neuron].stage];
  const auto* units = std::get_if<UnitStage>(&stage);
  return unit_outputs_of(stage) * (units != nullptr ? units->positions : 1);
}

Block ConeNetwork::make_block() const {
  Block block;
  for (const auto& stage : stages_)
    block.values.emplace_back(std::visit([](const auto& s) { return s.inputs; }, stage));
  block.values.emplace_back(outputs_of(stages_.back()));
  block.class_sums.resize(outputs_);
  return block;
}

ConeScratch ConeNetwork::make_scratch() const {
  ConeScratch scratch;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    // Nothing changes the input of the first stage.
    scratch.changes.emplace_back(s == 0 ? 0 : outputs_of(stages_[s - 1]));
    scratch.is_marked.emplace_back((outputs_of(stages_[s]) + 63) / 64);
  }
  scratch.sum_changes.resize(outputs_ * kChangeRows);
  return scratch;
}

void ConeNetwork::forward(Block& block) const {
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const Lanes* in = block.values[s].data();
    std::visit(
        [&](const auto& stage) {
          for (std::size_t o = 0; o < stage.outputs(); ++o) stage.forward(mixtures_, o, in, block.values[s + 1][o]);
        },
        stages_[s]);
  }
  for (std::size_t c = 0; c < outputs_; ++c) {
    Lanes sum{};
    for (std::size_t r = c * group_rows_; r < (c + 1) * group_rows_; ++r)
      for (std::size_t l = 0; l < kLanes; ++l) sum.v[l] += block.values.back()[r].v[l];
    for (std::size_t l = 0; l < kLanes; ++l) block.class_sums[c].v[l] = head_.offset + head_.factor * sum.v[l];
  }
}

double ConeNetwork::risk(const Block& block) const {
  double sum = 0;
  for (std::size_t l = 0; l < block.samples; ++l)
    sum += loss_.value({block.class_sums.data(), outputs_, 1, l}, block.labels[l]);
  return sum;
}

void ConeNetwork::backward(const Block& block, std::vector<Weights16>& sums) const {
  std::vector<Lanes> sum_grad(outputs_);
  std::vector<double> grad(outputs_);
  for (std::size_t l = 0; l < block.samples; ++l) {
    loss_.gradient({block.class_sums.data(), outputs_, 1, l}, block.labels[l], grad.data());
    for (std::size_t c = 0; c < outputs_; ++c) sum_grad[c].v[l] = head_.factor * grad[c];
  }
  std::vector<Lanes> up(block.values.back().size());
  for (std::size_t r = 0; r < up.size(); ++r) up[r] = sum_grad[r / group_rows_];
  for (std::size_t s = stages_.size(); s-- > 0;) {
    std::vector<Lanes> down(block.values[s].size());
    std::visit(
        [&](const auto& stage) {
          for (std::size_t o = 0; o < stage.outputs(); ++o)
            stage.backward(mixtures_, o, block.values[s].data(), up[o], down.data(), sums.data());
        },
        stages_[s]);
    up = std::move(down);
  }
}

Weights16 ConeNetwork::gradient(std::size_t neuron, const Weights16& sums) const {
  if (std::holds_alternative<SlotStage>(stages_[homes_[neuron].stage])) return sums;
  Weights16 gradient{};
  for (std::size_t k = 0; k < kSlots; ++k) {
    const Terms terms = gate_terms(mixtures_.gate(neuron, k));
    for (std::size_t t = 0; t < 4; ++t) gradient[k] += terms[t] * sums[t];
  }
  return gradient;
}

Weights16 ConeNetwork::scores(std::size_t neuron, const Weights16& sums) const {
  const Weights16 g = gradient(neuron, sums);
  Weights16 scores{};
  for (std::size_t k = 0; k < kSlots; ++k)
    for (std::size_t h = 0; h < kSlots; ++h) scores[k] += mixtures_.weights(neuron)[h] * (g[k] - g[h]);
  return scores;
}

Seed ConeNetwork::make_seed(std::size_t neuron, std::span<const std::uint8_t> slots, const Block& block) const {
  FIRN_CHECK(slots.size() <= kChangeRows);
  Seed seed;
  seed.neuron = neuron;
  seed.together = slots.size();
  seed.samples = block.samples;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    seed.slots[j] = slots[j];
    seed.towards[j] = mixtures_.towards(neuron, slots[j]);
  }
  return seed;
}

void ConeNetwork::add_to_class_sums(std::size_t output, const Lanes* change, std::size_t rows,
                                    ConeScratch& scratch) const {
  Lanes* total = &scratch.sum_changes[output / group_rows_ * kChangeRows];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t l = 0; l < kLanes; ++l) total[r].v[l] += head_.factor * change[r].v[l];
}

// True where the output moves in any lane. A change in the last stage is added to the class sums at once.
template <class Rule>
bool ConeNetwork::follow_output(const Block& block, std::size_t stage, std::size_t output, Seed* seed,
                                std::size_t together, ConeScratch& scratch) const {
  const bool is_last = stage + 1 == stages_.size();
  Lanes local[kChangeRows];
  Lanes* out = is_last ? local : scratch.changes[stage + 1].row(static_cast<std::uint32_t>(output));
  std::visit(
      [&](const auto& s) {
        s.template change<Rule>(mixtures_, output, block.values[stage].data(), scratch.changes[stage], together, seed,
                                out);
      },
      stages_[stage]);
  const std::size_t rows = together * Rule::kParts;
  if (is_last) {
    add_to_class_sums(output, out, rows, scratch);
    return false;
  }
  bool moves = false;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t l = 0; l < kLanes; ++l) moves |= out[r].v[l] != 0;
  return moves;
}

template <class Rule>
void ConeNetwork::follow(const Block& block, Seed& seed, ConeScratch& scratch) const {
  FIRN_CHECK(seed.together <= Rule::kTogether);
  std::fill(scratch.sum_changes.begin(), scratch.sum_changes.end(), Lanes{});
  const Home home = homes_[seed.neuron];
  const auto advance = [&](std::size_t stage, std::size_t output, Seed* from) {
    if (follow_output<Rule>(block, stage, output, from, seed.together, scratch))
      scratch.changes[stage + 1].mark(static_cast<std::uint32_t>(output));
  };
  for (std::size_t o = 0; o < unit_outputs_of(stages_[home.stage]); ++o)
    advance(home.stage, home.first_output + o, &seed);
  for (std::size_t s = home.stage + 1; s < stages_.size(); ++s) {
    auto& marks = scratch.is_marked[s];
    for (std::uint32_t feature : scratch.changes[s].list())
      for (std::uint32_t i = readers_[s].first[feature]; i < readers_[s].first[feature + 1]; ++i)
        marks[readers_[s].readers[i] / 64] |= std::uint64_t{1} << (readers_[s].readers[i] % 64);
    for (std::size_t word = 0; word < marks.size(); ++word)
      for (; marks[word] != 0; marks[word] &= marks[word] - 1)
        advance(s, word * 64 + static_cast<std::size_t>(std::countr_zero(marks[word])), nullptr);
    scratch.changes[s].clear();
  }
}

template void ConeNetwork::follow<Difference>(const Block&, Seed&, ConeScratch&) const;
template void ConeNetwork::follow<Derivatives>(const Block&, Seed&, ConeScratch&) const;

ConeNetwork::Ties ConeNetwork::ties(const Block& block) const {
  Ties ties;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const auto count = [&](const auto& stage) {
      for (std::size_t o = 0; o < stage.outputs(); ++o)
        ties.tied += stage.ties(mixtures_, o, block.values[s].data(), block.samples);
      ties.pooled += stage.outputs() * block.samples;
    };
    if (const auto* units = std::get_if<UnitStage>(&stages_[s]); units != nullptr && units->positions > 1)
      count(*units);
  }
  return ties;
}

}  // namespace firn::diagnose
