#include "firn/study/flip_summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "firn/diagnose/statistics.h"

namespace firn::study {

namespace {

constexpr Bar kAnyGain{.must_gain = true, .errors = 0}, kSignificantGain{.must_gain = true, .errors = 2};
constexpr double kSmallestDecade = -6, kLargestDecade = 0;
constexpr int kBinsPerDecade = 2;

FlipQuantiles quantiles_of(const std::vector<double>& values) {
  FlipQuantiles result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = quantile(values, kFlipQuantiles[i]);
  return result;
}

std::vector<std::size_t> histogram_of(const std::vector<double>& values) {
  const std::vector<double> edges = flip_bin_edges();
  std::vector<std::size_t> counts(edges.size() - 1);
  for (double value : values) {
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
    ++counts[static_cast<std::size_t>(above - edges.begin()) - 1];
  }
  return counts;
}

using Predictor = std::function<std::optional<double>(const DiscreteFlip&)>;

FlipCorrelation correlate_flips(const std::vector<const DiscreteFlip*>& flips, const Predictor& predictor) {
  std::vector<double> predicted, fitting, held_out;
  for (const DiscreteFlip* flip : flips)
    if (const auto value = predictor(*flip)) {
      predicted.push_back(*value);
      fitting.push_back(flip->fitting.mean());
      held_out.push_back(flip->held_out.mean());
    }
  if (predicted.empty()) return {};
  return {predicted.size(), spearman(predicted, fitting), spearman(predicted, held_out)};
}

void count(Gains& gains, const DiscreteFlip& flip) {
  ++gains.flips;
  gains.also_held_out += kAnyGain.is_passed_by(flip.held_out);
}

LayerFlips summarize_layer(std::string name, const std::vector<const DiscreteFlip*>& flips) {
  LayerFlips layer;
  layer.layer = std::move(name);
  layer.flips = flips.size();
  std::set<std::pair<std::size_t, std::size_t>> gates, significant;
  std::vector<double> fitting, held_out;
  for (const DiscreteFlip* flip : flips) {
    fitting.push_back(flip->fitting.mean());
    held_out.push_back(flip->held_out.mean());
    gates.insert({flip->layer, flip->neuron});
    layer.without_effect += flip->fitting.squares == 0;
    if (flip->lowers_loss()) count(layer.lower, *flip);
    if (!flip->is_significant()) continue;
    count(layer.significant, *flip);
    significant.insert({flip->layer, flip->neuron});
  }
  layer.gates = gates.size();
  layer.significant_gates = significant.size();
  layer.fitting = quantiles_of(fitting);
  layer.held_out = quantiles_of(held_out);
  layer.fitting_histogram = histogram_of(fitting);
  layer.held_out_histogram = histogram_of(held_out);
  layer.score = correlate_flips(flips, [](const DiscreteFlip& f) { return f.score; });
  layer.relaxed_effect = correlate_flips(flips, [](const DiscreteFlip& f) { return f.relaxed_effect; });
  layer.entropy = correlate_flips(flips, [](const DiscreteFlip& f) { return std::optional(f.entropy); });
  layer.fitting_with_held_out = spearman(fitting, held_out);
  return layer;
}

}  // namespace

bool DiscreteFlip::lowers_loss() const {
  return kAnyGain.is_passed_by(fitting);
}

bool DiscreteFlip::is_significant() const {
  return kSignificantGain.is_passed_by(fitting);
}

std::vector<double> flip_bin_edges() {
  std::vector<double> edges;
  const int bins = static_cast<int>(kLargestDecade - kSmallestDecade) * kBinsPerDecade;
  for (int i = 0; i <= bins; ++i)
    edges.push_back(-std::pow(10.0, kLargestDecade - static_cast<double>(i) / kBinsPerDecade));
  for (int i = bins; i >= 0; --i) edges.push_back(-edges[static_cast<std::size_t>(i)]);
  return edges;
}

std::vector<LayerFlips> summarize_flips(std::span<const DiscreteFlip> flips, std::span<const std::string> names) {
  std::vector<std::vector<const DiscreteFlip*>> by_layer(names.size());
  std::vector<const DiscreteFlip*> all;
  for (const DiscreteFlip& flip : flips) {
    by_layer[flip.layer].push_back(&flip);
    all.push_back(&flip);
  }
  std::vector<LayerFlips> summaries;
  for (std::size_t l = 0; l < names.size(); ++l)
    if (!by_layer[l].empty()) summaries.push_back(summarize_layer(names[l], by_layer[l]));
  summaries.push_back(summarize_layer("all", all));
  return summaries;
}

}  // namespace firn::study
