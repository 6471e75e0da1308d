#include "firn/theory/random_networks.h"

#include <algorithm>
#include <cmath>

#include "firn/base/random.h"
#include "firn/theory/assignments.h"
#include "firn/theory/bounds.h"
#include "firn/theory/completions.h"
#include "firn/theory/sequential.h"
#include "firn/theory/small_models.h"

namespace firn::theory {
namespace {

enum Check { kTheorem2, kTaylor, kTheorem3, kRegret, kImplication, kNeverRises, kBelowExpected, kAboveBest, kChecks };

constexpr const char* kNames[kChecks] = {
    "Theorem 2: |C_CE(k) - C_rel(k)| <= L (V + P)",
    "Taylor: |C_rel(k) - C_rel(soft) - S(k)| <= M/2 E[da^2]",
    "Theorem 3: |C_CE(k) - C_rel(soft) - S(k)| <= eps(k)",
    "Theorem 3: C_CE(k_FO) - min C_CE <= 2 eps",
    "Theorem 3: Gamma > 2 eps implies C_CE(k_FO) < C_CE(k_arg), by Gamma - 2 eps",
    "C_CE of the chosen gate never rises",
    "R(g_CE) <= E_q[R(G)]",
    "R* <= R(g_CE)",
};

constexpr double kDecisive = 1e-9;    // a condition that holds by less may hold by rounding
constexpr std::size_t kSearched = 4;  // neurons up to which R* is searched

BoundsReport empty_report() {
  BoundsReport report;
  for (const char* name : kNames)
    report.checks.push_back({.name = name, .tested = 0, .violated = 0, .smallest_slack = 0, .ratios = {}});
  return report;
}

double log_uniform(double low, double high, RandomSequence& random) {
  return low * std::pow(high / low, random.uniform_double());
}

// A dense network of one to three layers, or trees.
SmallModelSettings draw_model(std::uint64_t seed, std::size_t max_neurons, RandomSequence& random) {
  SmallModelSettings s;
  const char* losses[] = {"bce", "squared", "cross-entropy"};
  s.loss = losses[random.below(3)];
  const std::size_t multiple = s.loss == "cross-entropy" ? 2 : 1;  // outputs come in pairs
  s.kind = random.below(3) == 0 && max_neurons >= 3 * multiple ? "tree" : "dense";
  s.trees = multiple;
  s.widths = {multiple * (1 + random.below(2))};
  for (std::size_t left = max_neurons - std::min(max_neurons, s.widths[0]); left > 0 && s.widths.size() < 3;) {
    const std::size_t width = 1 + random.below(static_cast<std::uint32_t>(std::min<std::size_t>(left, 3)));
    s.widths.insert(s.widths.begin(), width);
    left -= width;
    if (random.below(4) == 0) break;
  }
  s.scale = log_uniform(0.1, 8, random);
  s.spread = log_uniform(0.5, 12, random);
  s.seed = seed;
  return s;
}

Population draw_population(RandomSequence& random) {
  Population population{.inputs = 2 + random.below(4), .bits = {}, .labels = {}, .weights = {}};
  const std::size_t samples = 4 + random.below(9);
  for (std::size_t s = 0; s < samples; ++s) {
    std::vector<std::uint8_t> bits(population.inputs);
    for (std::uint8_t& bit : bits) bit = static_cast<std::uint8_t>(random.below(2));
    population.add(bits, random.below(2), 1 / static_cast<double>(samples));
  }
  return population;
}

void check_neuron(const NeuronBounds& b, BoundsReport& report) {
  auto& checks = report.checks;
  const double least = std::ranges::min(b.conditional), predicted = b.conditional[b.first_order];
  for (std::size_t k = 0; k < kSlots; ++k) {
    checks[kTheorem2].test(std::abs(b.conditional[k] - b.relaxed[k]), b.completion_error(k));
    checks[kTaylor].test(std::abs(b.relaxed[k] - b.soft - b.score[k]), b.taylor_error(k));
    checks[kTheorem3].test(std::abs(b.conditional[k] - b.soft - b.score[k]), b.epsilon(k));
  }
  checks[kRegret].test(predicted - least, 2 * b.epsilon());
  const bool decides = b.margin() > kDecisive;
  if (decides) checks[kImplication].test(predicted + b.margin(), b.conditional[b.argmax]);
  ++report.decisions;
  report.condition_held += decides;
  if (b.first_order == b.argmax) return;
  ++report.disagreements;
  report.first_order_won += predicted < b.conditional[b.argmax];
}

BoundsReport check_network(const BoundsSettings& settings, std::size_t number) {
  const std::uint64_t seed = settings.seed * 1000003 + number;
  RandomSequence random(seed, "theory/bounds");
  const Population population = draw_population(random);
  const SmallModelSettings model = draw_model(seed, settings.max_neurons, random);
  const SmallNetwork network = make_small_network(model, population.inputs);
  const Problem problem{network, population, reference::loss_formulas(model.loss)};
  const CountTable counts(problem);
  Distribution q = network.distribution();
  BoundsReport report = empty_report();
  report.networks = 1;
  const double expected = expected_risk(problem, counts, q);
  double before = expected;
  const auto orders = neuron_orders();
  for (std::size_t neuron : neuron_order(orders[random.below(static_cast<std::uint32_t>(orders.size()))], q, seed)) {
    const NeuronBounds b = bound_neuron(problem, counts, q, neuron);
    check_neuron(b, report);
    const auto chosen = std::ranges::min_element(b.conditional) - b.conditional.begin();
    report.checks[kNeverRises].test(b.conditional[static_cast<std::size_t>(chosen)], before);
    before = b.conditional[static_cast<std::size_t>(chosen)];
    q[neuron] = all_on(static_cast<Gate>(chosen));
  }
  const double selected = discrete_risk(problem, counts, argmax(q));
  report.checks[kBelowExpected].test(selected, expected);
  if (network.neurons() <= kSearched) report.checks[kAboveBest].test(best_assignment(problem, counts).risk, selected);
  return report;
}

}  // namespace

void InequalityCheck::test(double left, double right) {
  constexpr double kRounding = 1e-12;  // both sides are sums of about a hundred numbers of order 1
  const double slack = right - left;
  smallest_slack = tested == 0 ? slack : std::min(smallest_slack, slack);
  ++tested;
  violated += slack < -kRounding * (1 + std::abs(right));
  if (right > kRounding) ratios.push_back(left / right);
}

void InequalityCheck::merge(const InequalityCheck& other) {
  if (other.tested > 0)
    smallest_slack = tested == 0 ? other.smallest_slack : std::min(smallest_slack, other.smallest_slack);
  tested += other.tested;
  violated += other.violated;
  ratios.insert(ratios.end(), other.ratios.begin(), other.ratios.end());
}

double InequalityCheck::median_ratio() const {
  if (ratios.empty()) return 0;
  std::vector<double> sorted = ratios;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
  return sorted[sorted.size() / 2];
}

std::size_t BoundsReport::violations() const {
  std::size_t sum = 0;
  for (const InequalityCheck& check : checks) sum += check.violated;
  return sum;
}

BoundsReport check_bounds(const BoundsSettings& settings, Threads& threads,
                          const std::function<void(std::size_t)>& on_progress) {
  BoundsReport total = empty_report();
  // Blocks run in parallel and are added in the order of their networks.
  constexpr std::size_t kBlock = 64;
  for (std::size_t first = 0; first < settings.networks; first += kBlock) {
    std::vector<BoundsReport> parts(std::min(kBlock, settings.networks - first));
    threads.for_each(parts.size(), [&](std::size_t i, std::size_t) { parts[i] = check_network(settings, first + i); });
    for (const BoundsReport& part : parts) {
      for (std::size_t c = 0; c < kChecks; ++c) total.checks[c].merge(part.checks[c]);
      total.networks += part.networks;
      total.decisions += part.decisions;
      total.condition_held += part.condition_held;
      total.disagreements += part.disagreements;
      total.first_order_won += part.first_order_won;
    }
    on_progress(total.networks);
  }
  return total;
}

}  // namespace firn::theory
