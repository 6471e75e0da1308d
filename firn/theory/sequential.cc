#include "firn/theory/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/discretize/lowest_score.h"
#include "firn/theory/completions.h"
#include "firn/theory/relaxed.h"

namespace firn::theory {

namespace {

GateEstimates exactly(const GateWeights& values) {
  GateEstimates estimates;
  for (std::size_t k = 0; k < kSlots; ++k) estimates[k] = {values[k], 0};
  return estimates;
}

}  // namespace

Criterion conditional_expectation(const Problem& problem, const CountTable& counts) {
  return [&problem, &counts](const Distribution& q, std::size_t neuron) {
    return exactly(conditional_risks(problem, counts, q, neuron));
  };
}

Criterion conditional_expectation(const Problem& problem, const CountTable& counts, const MonteCarlo& how) {
  return [&problem, &counts, how](const Distribution& q, std::size_t neuron) {
    return estimate_conditional_risks(problem, counts, q, neuron, how);
  };
}

Criterion first_order(const Problem& problem) {
  return
      [&problem](const Distribution& q, std::size_t neuron) { return exactly(first_order_scores(problem, q)[neuron]); };
}

Criterion relaxed_intervention(const Problem& problem) {
  return
      [&problem](const Distribution& q, std::size_t neuron) { return exactly(intervention_risks(problem, q, neuron)); };
}

SequentialSelection fix_in_order(Distribution q, const std::vector<std::size_t>& order, const Criterion& criterion) {
  SequentialSelection selection;
  for (std::size_t neuron : order) {
    const GateEstimates values = criterion(q, neuron);
    std::array<double, kSlots> means;
    std::ranges::transform(values, means.begin(), &MonteCarloEstimate::mean);
    const auto likeliest = static_cast<std::size_t>(std::ranges::max_element(q[neuron]) - q[neuron].begin());
    const auto gate = static_cast<Gate>(lowest_score(means, likeliest));
    q[neuron] = all_on(gate);
    selection.steps.push_back({neuron, gate, values});
  }
  selection.gates = argmax(q);
  return selection;
}

std::vector<std::string> neuron_orders() {
  return {"input-first", "output-first", "certain-first", "random"};
}

std::vector<std::size_t> neuron_order(std::string_view name, const Distribution& q, std::uint64_t seed) {
  std::vector<std::size_t> order(q.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (name == "input-first") return order;
  if (name == "output-first") {
    std::ranges::reverse(order);
  } else if (name == "certain-first") {
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t n) { return *std::ranges::max_element(q[n]); });
  } else if (name == "random") {
    RandomSequence random(seed, "theory/order");
    const auto numbers = permutation(static_cast<std::uint32_t>(q.size()), random);
    order.assign(numbers.begin(), numbers.end());
  } else {
    throw Error(fmt::format("there is no order \"{}\"; choose {}", name, fmt::join(neuron_orders(), ", ")));
  }
  return order;
}

}  // namespace firn::theory
