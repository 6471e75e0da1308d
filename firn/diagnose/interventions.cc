#include "firn/diagnose/interventions.h"

#include <algorithm>
#include <span>

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

ScoreSums measure_scores(const ConeNetwork& network, const SampleSet& samples, Threads& threads,
                         const OnWork& on_work) {
  const auto together = static_cast<std::size_t>(threads.count());
  std::vector<Block> blocks(together, network.make_block());
  ScoreSums total;
  on_work(0, samples.blocks());
  for (std::size_t first = 0; first < samples.blocks(); first += together) {
    const std::size_t count = std::min(together, samples.blocks() - first);
    std::vector<ScoreSums> parts(count);
    threads.for_each(count, [&](std::size_t i, std::size_t) {
      samples.load(first + i, network.input_layout(), blocks[i]);
      network.forward(blocks[i]);
      parts[i].sums.resize(network.mixtures().count());
      network.backward(blocks[i], parts[i].sums);
      parts[i].samples = blocks[i].samples;
      parts[i].loss = network.risk(blocks[i]);
      parts[i].ties = network.ties(blocks[i]);
    });
    for (const ScoreSums& part : parts) total += part;
    on_work(first + count, samples.blocks());
  }
  return total;
}

namespace {

// Follows a few slots of one neuron through one block, and adds what happens to the sums.
template <class Rule>
void follow_slots(const ConeNetwork& network, const Block& block, std::size_t neuron,
                  std::span<const std::uint8_t> slots, ConeScratch& scratch, std::span<SlotEffect> sums) {
  Seed seed = network.make_seed(neuron, slots, block);
  network.follow<Rule>(block, seed, scratch);
  const std::size_t outputs = network.outputs();
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const Lanes* change = &scratch.sum_changes[j * Rule::kParts];
    for (std::size_t l = 0; l < block.samples; ++l) {
      const ClassSumView scores{block.class_sums.data(), outputs, 1, l}, first{change, outputs, kChangeRows, l};
      if constexpr (Rule::kParts == 1) {
        sums[j].effect += network.loss().difference(scores, block.labels[l], first);
      } else {
        const Curve curve = network.loss().curve(scores, block.labels[l], first, {change + 1, outputs, kChangeRows, l});
        sums[j].first += curve.first;
        sums[j].second += curve.second;
      }
    }
    sums[j].displacement += seed.squares[j];
  }
}

template <class Rule>
void follow_all_slots(const ConeNetwork& network, const Block& block, const NeuronSlots& what, ConeScratch& scratch,
                      std::vector<SlotEffect>& sums) {
  for (std::size_t first = 0; first < what.slots.size(); first += Rule::kTogether) {
    const std::size_t count = std::min(Rule::kTogether, what.slots.size() - first);
    follow_slots<Rule>(network, block, what.neuron, std::span(what.slots).subspan(first, count), scratch,
                       std::span(sums).subspan(first, count));
  }
}

}  // namespace

std::vector<std::vector<SlotEffect>> measure_effects(const ConeNetwork& network, const SampleSet& samples,
                                                     const std::vector<NeuronSlots>& neurons, Measuring what,
                                                     Threads& threads, const OnWork& on_work) {
  constexpr std::size_t kReport = 256;  // neurons between two reports
  std::vector<std::vector<SlotEffect>> sums;
  for (const NeuronSlots& entry : neurons) sums.emplace_back(entry.slots.size());
  std::vector<ConeScratch> scratch(static_cast<std::size_t>(threads.count()), network.make_scratch());
  Block block = network.make_block();
  on_work(0, samples.blocks() * neurons.size());
  for (std::size_t b = 0; b < samples.blocks(); ++b) {
    samples.load(b, network.input_layout(), block);
    network.forward(block);
    for (std::size_t begin = 0; begin < neurons.size(); begin += kReport) {
      const std::size_t count = std::min(kReport, neurons.size() - begin);
      threads.for_each(count, [&](std::size_t i, std::size_t worker) {
        const NeuronSlots& entry = neurons[begin + i];
        if (what.effects) follow_all_slots<Difference>(network, block, entry, scratch[worker], sums[begin + i]);
        if (what.derivatives) follow_all_slots<Derivatives>(network, block, entry, scratch[worker], sums[begin + i]);
      });
      on_work(b * neurons.size() + begin + count, samples.blocks() * neurons.size());
    }
  }
  // Both passes see the same displacements.
  const double n = static_cast<double>(samples.count()), passes = what.effects && what.derivatives ? 2 : 1;
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (SlotEffect& sum : sums[i]) {
      sum.effect /= n;
      sum.first /= n;
      sum.second /= n;
      sum.displacement /= passes * n * static_cast<double>(network.positions(neurons[i].neuron));
    }
  return sums;
}

}  // namespace firn::diagnose
