#include "firn/diagnose/interventions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string>

namespace firn::diagnose {

ScoreSums& ScoreSums::operator+=(const ScoreSums& other) {
  if (sums.empty()) sums.resize(other.sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::size_t k = 0; k < kSlots; ++k) sums[i][k] += other.sums[i][k];
  samples += other.samples;
  loss += other.loss;
  ties.tied += other.ties.tied;
  ties.pooled += other.ties.pooled;
  return *this;
}

Weights16 ScoreSums::scores(const ConeNetwork& network, std::size_t neuron) const {
  Weights16 scores = network.scores(neuron, sums[neuron]);
  for (double& score : scores) score /= static_cast<double>(samples);
  return scores;
}

namespace {

// What one block contributes, in the order in which ranks send it to each other.
struct BlockTotals {
  std::uint64_t samples = 0, tied = 0, pooled = 0;
  double loss = 0;
};

}  // namespace

ScoreSums measure_scores(const ConeNetwork& network, const SampleSet& samples, Threads& threads, const OnWork& on_work,
                         Ranks& ranks) {
  // As many blocks at a time as all ranks have threads, if all have as many as rank 0.
  std::uint64_t together = static_cast<std::uint64_t>(threads.count() * ranks.size());
  ranks.broadcast(std::as_writable_bytes(std::span(&together, 1)));
  const std::size_t neurons = network.mixtures().count();
  std::vector<Block> blocks(static_cast<std::size_t>(threads.count()), network.make_block());
  std::vector<std::vector<Weights16>> own_sums(blocks.size());
  std::vector<Weights16> sums(together * neurons);  // [block][neuron]
  std::vector<BlockTotals> totals(together);
  ScoreSums total;
  total.sums.resize(neurons);
  on_work(0, samples.blocks());
  for (std::size_t first = 0; first < samples.blocks(); first += together) {
    const std::size_t count = std::min<std::size_t>(together, samples.blocks() - first);
    const RankShare own = ranks.own_share(count);
    threads.for_each(own.count(), [&](std::size_t i, std::size_t worker) {
      const std::size_t number = own.first + i;
      Block& block = blocks[worker];
      samples.load(first + number, network.input_layout(), block);
      network.forward(block);
      own_sums[worker].assign(neurons, Weights16{});
      network.backward(block, own_sums[worker]);
      std::ranges::copy(own_sums[worker], sums.begin() + static_cast<std::ptrdiff_t>(number * neurons));
      const ConeNetwork::Ties ties = network.ties(block);
      totals[number] = {block.samples, ties.tied, ties.pooled, network.risk(block)};
    });
    ranks.share(std::span(sums).first(count * neurons), neurons);
    ranks.share(std::span(totals).first(count));
    for (std::size_t number = 0; number < count; ++number) {
      for (std::size_t n = 0; n < neurons; ++n)
        for (std::size_t k = 0; k < kSlots; ++k) total.sums[n][k] += sums[number * neurons + n][k];
      total.samples += totals[number].samples;
      total.loss += totals[number].loss;
      total.ties.tied += totals[number].tied;
      total.ties.pooled += totals[number].pooled;
    }
    on_work(first + count, samples.blocks());
  }
  return total;
}

namespace {

// What one slot does to each sample of a block.
struct SampleEffects {
  std::array<double, kLanes> effect{}, first{}, second{};
};

// Follows a few slots of one neuron through one block.
template <class Rule>
void follow_slots(const ConeNetwork& network, const Block& block, std::size_t neuron,
                  std::span<const std::uint8_t> slots, ConeScratch& scratch, std::span<SampleEffects> effects,
                  std::span<SlotEffect> sums) {
  Seed seed = network.make_seed(neuron, slots, block);
  network.follow<Rule>(block, seed, scratch);
  const std::size_t outputs = network.outputs();
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const Lanes* change = &scratch.sum_changes[j * Rule::kParts];
    for (std::size_t l = 0; l < block.samples; ++l) {
      const ClassSumView scores{block.class_sums.data(), outputs, 1, l}, first{change, outputs, kChangeRows, l};
      if constexpr (Rule::kParts == 1) {
        effects[j].effect[l] = network.loss().difference(scores, block.labels[l], first);
      } else {
        const Curve curve = network.loss().curve(scores, block.labels[l], first, {change + 1, outputs, kChangeRows, l});
        effects[j].first[l] = curve.first;
        effects[j].second[l] = curve.second;
      }
    }
    sums[j].displacement += seed.squares[j];
    sums[j].winning += seed.winning_squares[j];
  }
}

template <class Rule>
void follow_all_slots(const ConeNetwork& network, const Block& block, const NeuronSlots& what, ConeScratch& scratch,
                      std::span<SampleEffects> effects, std::vector<SlotEffect>& sums) {
  for (std::size_t first = 0; first < what.slots.size(); first += Rule::kTogether) {
    const std::size_t count = std::min(Rule::kTogether, what.slots.size() - first);
    follow_slots<Rule>(network, block, what.neuron, std::span(what.slots).subspan(first, count), scratch,
                       effects.subspan(first, count), std::span(sums).subspan(first, count));
  }
}

// Follows the slots of an entry through one block, and adds what happens to the sums.
void add_block(const ConeNetwork& network, const Block& block, const NeuronSlots& entry, Measuring what,
               ConeScratch& scratch, std::vector<SlotEffect>& sums) {
  std::array<SampleEffects, kSlots> effects;
  if (what.effects) follow_all_slots<Difference>(network, block, entry, scratch, effects, sums);
  if (what.derivatives) follow_all_slots<Derivatives>(network, block, entry, scratch, effects, sums);
  for (std::size_t j = 0; j < sums.size(); ++j)
    for (std::size_t l = 0; l < block.samples; ++l) {
      const double effect = effects[j].effect[l], first = effects[j].first[l], second = effects[j].second[l];
      sums[j].effect += effect;
      sums[j].first += first;
      sums[j].second += second;
      if (!what.effects || !what.derivatives) continue;
      sums[j].first_error += std::abs(effect - first);
      sums[j].second_error += std::abs(effect - first - second / 2);
    }
}

// Each rank knows the rows of its share; afterwards all know all.
void share_rows(std::vector<std::vector<SlotEffect>>& rows, Ranks& ranks) {
  if (ranks.is_alone()) return;
  std::vector<SlotEffect> own;
  const RankShare share = ranks.own_share(rows.size());
  for (std::size_t r = share.first; r < share.last; ++r) own.insert(own.end(), rows[r].begin(), rows[r].end());
  const auto bytes = std::as_bytes(std::span(own));
  std::string all;
  for (const std::string& part : ranks.gather({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) all += part;
  const char* next = all.data();
  for (std::vector<SlotEffect>& row : rows) {
    std::memcpy(row.data(), next, row.size() * sizeof(SlotEffect));
    next += row.size() * sizeof(SlotEffect);
  }
}

}  // namespace

std::vector<std::vector<SlotEffect>> measure_effects(const ConeNetwork& network, const SampleSet& samples,
                                                     const std::vector<NeuronSlots>& neurons, Measuring what,
                                                     Threads& threads, const OnWork& on_work, Ranks& ranks) {
  constexpr std::size_t kReport = 256;  // neurons between two reports
  const RankShare own = ranks.own_share(neurons.size());
  const std::size_t most =
      (neurons.size() + static_cast<std::size_t>(ranks.size()) - 1) / static_cast<std::size_t>(ranks.size());
  std::vector<std::vector<SlotEffect>> sums;
  for (const NeuronSlots& entry : neurons) sums.emplace_back(entry.slots.size());
  std::vector<ConeScratch> scratch(static_cast<std::size_t>(threads.count()), network.make_scratch());
  Block block = network.make_block();
  on_work(0, samples.blocks() * own.count());
  for (std::size_t b = 0; b < samples.blocks(); ++b) {
    samples.load(b, network.input_layout(), block);
    network.forward(block);
    for (std::size_t begin = 0; begin < most; begin += kReport) {
      const std::size_t count = std::min(begin + kReport, own.count()) - std::min(begin, own.count());
      threads.for_each(count, [&](std::size_t i, std::size_t worker) {
        const std::size_t n = own.first + begin + i;
        add_block(network, block, neurons[n], what, scratch[worker], sums[n]);
      });
      ranks.any(false);  // a sign of life: the whole takes longer than ranks wait for each other
      on_work(b * own.count() + std::min(begin + kReport, own.count()), samples.blocks() * own.count());
    }
  }
  share_rows(sums, ranks);
  // Both passes see the same displacements.
  const double n = static_cast<double>(samples.count()), passes = what.effects && what.derivatives ? 2 : 1;
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (SlotEffect& sum : sums[i]) {
      sum.effect /= n;
      sum.first /= n;
      sum.second /= n;
      sum.first_error /= n;
      sum.second_error /= n;
      const double terms = passes * n * static_cast<double>(network.positions(neurons[i].neuron));
      sum.displacement /= terms;
      sum.winning /= terms;
    }
  return sums;
}

}  // namespace firn::diagnose
