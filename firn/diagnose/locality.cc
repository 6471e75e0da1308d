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

LocalitySummary summarize_layer(const std::string& layer, const std::vector<const LocalNeuron*>& neurons) {
  Columns all;
  std::vector<double> first_ranks, second_ranks;
  for (const LocalNeuron* neuron : neurons) {
    all.add(*neuron);
    Columns own;
    own.add(*neuron);
    if (const auto rank = spearman(own.displacement, own.first)) first_ranks.push_back(*rank);
    if (const auto rank = spearman(own.displacement, own.second)) second_ranks.push_back(*rank);
  }
  return {layer, neurons.size(), median(first_ranks), median(second_ranks), median(all.first), median(all.second)};
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

Locality summarize_locality(const Mixtures& mixtures, std::vector<LocalNeuron> neurons) {
  Locality locality;
  std::vector<const LocalNeuron*> all;
  for (const Mixtures::Group& group : mixtures.groups()) {
    std::vector<const LocalNeuron*> own;
    for (const LocalNeuron& neuron : neurons)
      if (group.contains(neuron.neuron)) own.push_back(&neuron);
    if (!own.empty()) locality.summaries.push_back(summarize_layer(group.name, own));
    all.insert(all.end(), own.begin(), own.end());
  }
  if (!all.empty()) locality.summaries.push_back(summarize_layer("all", all));
  locality.bins = make_bins(neurons);
  locality.disagreement = disagreement(neurons);
  locality.neurons = std::move(neurons);
  return locality;
}

}  // namespace firn::diagnose
