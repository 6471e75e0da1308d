#include "firn/theory/concentration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/network/kinds/dense.h"
#include "firn/theory/assignments.h"
#include "firn/theory/relaxed.h"

namespace firn::theory {
namespace {

constexpr std::size_t kMaxNeurons = 65536, kMostCopies = (kMaxNeurons - 1) / 2;
constexpr std::size_t kTryEverything = 5;  // neurons whose 16^N assignments are all tried

double best_prediction(const ConcentrationSettings& s) {
  return s.loss == "squared" ? s.positives : std::log(s.positives / (1 - s.positives));
}

double closed_form(const ConcentrationSettings& s) {
  const double z = best_prediction(s);
  if (s.loss == "squared") return z * z;
  return std::log(2.0) - std::log1p(std::exp(z)) + s.positives * z;
}

void check_settings(const ConcentrationSettings& s) {
  if (s.loss != "squared" && s.loss != "bce")
    throw Error(fmt::format("the construction is written for the losses squared and bce, not \"{}\"", s.loss));
  if (!(s.positives > 0 && s.positives < 1))
    throw Error(
        fmt::format("a share of positives of {} leaves nothing to predict; choose one between 0 and 1", s.positives));
  if (best_prediction(s) == 0)
    throw Error(
        "with as many positives as negatives the score 0 is already optimal; choose another share of positives");
  if (s.copies < 1 || s.copies > kMostCopies)
    throw Error(fmt::format("{} copies make no network that can be searched; choose 1 to {}", s.copies, kMostCopies));
  if (2 * s.copies + 1 > s.n_max)
    throw Error(fmt::format("{} copies need more than {} neurons; allow more neurons", s.copies, 2 * s.copies));
  if (s.n_max > kMaxNeurons)
    throw Error(fmt::format("{} neurons are more than the search can try; choose up to {}", s.n_max, kMaxNeurons));
}

// With few neurons every assignment is tried. With more, every number of TRUE gates: for each input the score depends
// on the number of ones alone, so the risk is an average of risks that constant gates can have, and none is below the
// best of them.
double search_best_risk(const Problem& problem, const CountTable& counts) {
  const std::size_t neurons = problem.network.neurons();
  if (neurons <= kTryEverything) return best_assignment(problem, counts).risk;
  AssignmentRisk risk(problem, counts);
  Assignment gates(neurons, Gate::kFalse);
  double best = risk(gates);
  for (Gate& gate : gates) {
    gate = Gate::kTrue;
    best = std::min(best, risk(gates));
  }
  return best;
}

ConcentrationRow measure(std::size_t neurons, const ConcentrationSettings& s, const Population& population) {
  const SmallNetwork network = concentrated_network(neurons, s.copies, best_prediction(s));
  const Problem problem{network, population, reference::loss_formulas(s.loss)};
  const CountTable counts(problem);
  const Distribution q = concentrated_distribution(neurons, s.copies);
  ConcentrationRow row{
      .neurons = neurons, .entropy = 0, .gini = 0, .non_modal = 0, .relaxed_risk = 0, .argmax_risk = 0, .best_risk = 0};
  for (const GateWeights& weights : q) {
    double entropy = 0, gini = 1;
    for (double w : weights) {
      if (w > 0) entropy -= w * std::log(w) / std::log(16.0);
      gini -= w * w;
    }
    row.entropy = std::max(row.entropy, entropy);
    row.gini = std::max(row.gini, gini);
    row.non_modal = std::max(row.non_modal, 1 - *std::ranges::max_element(weights));
  }
  row.relaxed_risk = relaxed_risk(problem, q);
  row.argmax_risk = discrete_risk(problem, counts, argmax(q));
  row.best_risk = search_best_risk(problem, counts);
  return row;
}

}  // namespace

SmallNetwork concentrated_network(std::size_t neurons, std::size_t copies, double best_prediction) {
  NetworkDescription network;
  network.input = {2};
  std::vector<std::uint32_t> wires;
  for (std::size_t i = 0; i < neurons; ++i) wires.insert(wires.end(), {0, 1});
  network.layers.push_back(describe_dense("constants", 2, std::move(wires)));
  network.head.factor = static_cast<float>(best_prediction) / static_cast<float>(copies);
  auto model = std::make_unique<Model>(std::move(network), Initialization{}, /*seed=*/1);
  // Logits of the distribution; e^-100 is as good as never.
  Neurons& gates = *model->neurons()[0];
  const double share = static_cast<double>(copies) / static_cast<double>(neurons);
  for (std::size_t i = 0; i < neurons; ++i) {
    std::ranges::fill(gates.logits[i], -100.f);
    gates.logits[i][static_cast<std::size_t>(Gate::kTrue)] = static_cast<float>(std::log(share));
    gates.logits[i][static_cast<std::size_t>(Gate::kFalse)] = static_cast<float>(std::log1p(-share));
  }
  return SmallNetwork(std::move(model));
}

Distribution concentrated_distribution(std::size_t neurons, std::size_t copies) {
  GateWeights weights{};
  const double share = static_cast<double>(copies) / static_cast<double>(neurons);
  weights[static_cast<std::size_t>(Gate::kTrue)] = share;
  weights[static_cast<std::size_t>(Gate::kFalse)] = 1 - share;
  return Distribution(neurons, weights);
}

Population independent_labels(double positives) {
  Population population{.inputs = 2, .bits = {}, .labels = {}, .weights = {}};
  constexpr std::uint8_t kPairs[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  for (const auto& [a, b] : kPairs) {
    population.add({a, b}, 0, (1 - positives) / 4);
    population.add({a, b}, 1, positives / 4);
  }
  return population;
}

Concentration run_concentration(const ConcentrationSettings& settings) {
  check_settings(settings);
  const Population population = independent_labels(settings.positives);
  Concentration result{best_prediction(settings), closed_form(settings), {}};
  for (std::size_t neurons = 2 * settings.copies + 1; neurons <= settings.n_max; neurons *= 2)
    result.rows.push_back(measure(neurons, settings, population));
  return result;
}

}  // namespace firn::theory
