#include "firn/diagnose/locality.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/base/random.h"

namespace firn::diagnose {

double LocalNeuron::first_error(std::size_t k) const {
  return std::abs(slots[k].effect - scores[k]);
}

double LocalNeuron::second_error(std::size_t k) const {
  return std::abs(slots[k].effect - scores[k] - slots[k].second / 2);
}

std::vector<std::size_t> draw_neurons(const Mixtures& mixtures, std::size_t per_layer, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  for (const Mixtures::Group& group : mixtures.groups()) {
    if (!group.in_scope) continue;
    RandomSequence random(seed, "diagnose/neurons/" + group.name);
    std::vector<std::size_t> own;
    for (std::uint32_t i : permutation(static_cast<std::uint32_t>(group.count), random))
      if (own.size() < per_layer && !mixtures.is_frozen(group.first + i)) own.push_back(group.first + i);
    std::sort(own.begin(), own.end());
    chosen.insert(chosen.end(), own.begin(), own.end());
  }
  return chosen;
}

namespace {

// What is correlated within each neuron: displacements, and errors of first and second order.
struct Reading {
  const char* name;
  double (*displacement)(const SlotEffect& slot);
  std::array<double, 2> (*errors)(const LocalNeuron& neuron, std::size_t k, double risk);
};

double at_all_positions(const SlotEffect& slot) {
  return slot.displacement;
}
double at_winners(const SlotEffect& slot) {
  return slot.winning;
}
std::array<double, 2> of_risk(const LocalNeuron& neuron, std::size_t k, double) {
  return {neuron.first_error(k), neuron.second_error(k)};
}
std::array<double, 2> of_samples(const LocalNeuron& neuron, std::size_t k, double) {
  return {neuron.slots[k].first_error, neuron.slots[k].second_error};
}
std::array<double, 2> of_rounded_risk(const LocalNeuron& neuron, std::size_t k, double risk) {
  const double effect = in_single_precision(neuron.slots[k].effect, risk);
  return {std::abs(effect - neuron.scores[k]), std::abs(effect - neuron.scores[k] - neuron.slots[k].second / 2)};
}

constexpr Reading kUsual = {"", at_all_positions, of_risk};
constexpr Reading kReadings[] = {
    {"winners of the pool", at_winners, of_risk},
    {"errors of samples", at_all_positions, of_samples},
    {"errors of samples, winners", at_winners, of_samples},
    {"single precision", at_all_positions, of_rounded_risk},
};

LocalityReading rank_by(const Reading& reading, const std::vector<const LocalNeuron*>& neurons, double risk) {
  std::vector<double> first_ranks, second_ranks;
  for (const LocalNeuron* neuron : neurons) {
    std::vector<double> displacement, first, second;
    for (std::size_t k = 0; k < neuron->slots.size(); ++k) {
      displacement.push_back(reading.displacement(neuron->slots[k]));
      const auto errors = reading.errors(*neuron, k, risk);
      first.push_back(errors[0]);
      second.push_back(errors[1]);
    }
    if (const auto rank = spearman(displacement, first)) first_ranks.push_back(*rank);
    if (const auto rank = spearman(displacement, second)) second_ranks.push_back(*rank);
  }
  return {reading.name, median(first_ranks), median(second_ranks)};
}

struct Columns {
  std::vector<double> displacement, first, second;

  void add(const LocalNeuron& neuron) {
    for (std::size_t k = 0; k < neuron.slots.size(); ++k) {
      displacement.push_back(neuron.slots[k].displacement);
      first.push_back(neuron.first_error(k));
      second.push_back(neuron.second_error(k));
    }
  }
};

LocalitySummary summarize_layer(const std::string& layer, const std::vector<const LocalNeuron*>& neurons, double risk) {
  Columns all;
  for (const LocalNeuron* neuron : neurons) all.add(*neuron);
  const LocalityReading usual = rank_by(kUsual, neurons, risk);
  LocalitySummary summary{
      layer, neurons.size(), usual.first_rank, usual.second_rank, median(all.first), median(all.second), {}};
  for (const Reading& reading : kReadings) summary.readings.push_back(rank_by(reading, neurons, risk));
  return summary;
}

std::array<std::optional<double>, 3> spread(const std::vector<double>& values) {
  return {quantile(values, 0.1), quantile(values, 0.5), quantile(values, 0.9)};
}

std::vector<DisplacementBin> make_bins(const std::vector<LocalNeuron>& neurons) {
  constexpr double kEdges[] = {0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.3, 1.0};
  Columns all;
  for (const LocalNeuron& neuron : neurons) all.add(neuron);
  std::vector<DisplacementBin> bins;
  for (std::size_t e = 0; e + 1 < std::size(kEdges); ++e) {
    const bool is_last = e + 2 == std::size(kEdges);
    DisplacementBin bin{kEdges[e], is_last ? std::numeric_limits<double>::infinity() : kEdges[e + 1], 0, {}, {}};
    std::vector<double> first, second;
    for (std::size_t i = 0; i < all.displacement.size(); ++i) {
      if (all.displacement[i] < bin.low || all.displacement[i] >= bin.high) continue;
      first.push_back(all.first[i]);
      second.push_back(all.second[i]);
    }
    bin.high = kEdges[e + 1];  // nothing moves a value in [0, 1] by more than one
    bin.slots = first.size();
    bin.first_error = spread(first);
    bin.second_error = spread(second);
    bins.push_back(bin);
  }
  return bins;
}

double disagreement(const std::vector<LocalNeuron>& neurons) {
  double worst = 0;
  for (const LocalNeuron& neuron : neurons) {
    double scale = 0;
    for (double score : neuron.scores) scale = std::max(scale, std::abs(score));
    for (std::size_t k = 0; k < neuron.slots.size() && scale > 0; ++k)
      worst = std::max(worst, std::abs(neuron.slots[k].first - neuron.scores[k]) / scale);
  }
  return worst;
}

}  // namespace

Locality summarize_locality(const Mixtures& mixtures, std::vector<LocalNeuron> neurons, double risk) {
  Locality locality;
  std::vector<const LocalNeuron*> all;
  for (const Mixtures::Group& group : mixtures.groups()) {
    std::vector<const LocalNeuron*> own;
    for (const LocalNeuron& neuron : neurons)
      if (group.contains(neuron.neuron)) own.push_back(&neuron);
    if (!own.empty()) locality.summaries.push_back(summarize_layer(group.name, own, risk));
    all.insert(all.end(), own.begin(), own.end());
  }
  if (!all.empty()) locality.summaries.push_back(summarize_layer("all", all, risk));
  locality.bins = make_bins(neurons);
  locality.disagreement = disagreement(neurons);
  locality.neurons = std::move(neurons);
  return locality;
}

}  // namespace firn::diagnose
