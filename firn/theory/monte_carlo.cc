#include "firn/theory/monte_carlo.h"

#include <fmt/format.h>

#include <cmath>

#include "firn/base/random.h"
#include "firn/theory/assignments.h"

namespace firn::theory {
namespace {

Gate draw_gate(const GateWeights& weights, RandomSequence& random) {
  double rest = random.uniform_double();
  std::size_t last = 0;
  for (std::size_t k = 0; k < kSlots; ++k) {
    if (weights[k] == 0) continue;
    last = k;
    rest -= weights[k];
    if (rest < 0) break;
  }
  return static_cast<Gate>(last);  // rounding may leave a rest: then the last gate that is possible
}

// Draw number `draw` is the same whatever is estimated with it.
Assignment draw_network(const Distribution& q, std::uint64_t seed, std::size_t draw) {
  RandomSequence random(seed, fmt::format("theory/draw/{}", draw));
  Assignment gates;
  for (const GateWeights& weights : q) gates.push_back(draw_gate(weights, random));
  return gates;
}

class Mean {
 public:
  void add(double value) {
    ++count_;
    const double step = value - mean_;
    mean_ += step / count_;
    squares_ += step * (value - mean_);
  }
  MonteCarloEstimate estimate() const { return {mean_, count_ > 1 ? std::sqrt(squares_ / (count_ - 1) / count_) : 0}; }

 private:
  double count_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace

MonteCarloEstimate estimate_expected_risk(const Problem& problem, const CountTable& counts, const Distribution& q,
                                          const MonteCarlo& how) {
  AssignmentRisk risk(problem, counts);
  Mean mean;
  for (std::size_t d = 0; d < how.draws; ++d) mean.add(risk(draw_network(q, how.seed, d)));
  return mean.estimate();
}

GateEstimates estimate_conditional_risks(const Problem& problem, const CountTable& counts, const Distribution& q,
                                         std::size_t neuron, const MonteCarlo& how) {
  AssignmentRisk risk(problem, counts);
  std::array<Mean, kSlots> means;
  for (std::size_t d = 0; d < how.draws; ++d) {
    Assignment gates = draw_network(q, how.seed, d);
    for (std::size_t k = 0; k < kSlots; ++k) {
      gates[neuron] = static_cast<Gate>(k);
      means[k].add(risk(gates));
    }
  }
  GateEstimates estimates;
  for (std::size_t k = 0; k < kSlots; ++k) estimates[k] = means[k].estimate();
  return estimates;
}

}  // namespace firn::theory
