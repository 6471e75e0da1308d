// Discrete networks one by one: the risk of an assignment of gates, and the best of all 16^N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/theory/count_table.h"
#include "firn/theory/problem.h"

namespace firn::theory {

// Neurons whose 16^n assignments can be waited for.
inline constexpr std::size_t kMaxSearched = 6;

// Evaluates assignments on all samples at once, one sample per bit.
class AssignmentRisk {
 public:
  AssignmentRisk(const Problem& problem, const CountTable& counts);

  double operator()(const Assignment& gates);

  // Calls body(gates, risk) for every assignment; gates of earlier applications change slowest.
  void for_each(const std::function<void(const Assignment&, double)>& body);

 private:
  void apply(std::size_t index, Gate gate);
  void visit(std::size_t index, const std::function<void(const Assignment&, double)>& body);
  double risk();

  const GateList& gates_;
  const CountTable& counts_;
  const Population& population_;
  Matrix<std::uint64_t> wires_;  // [wire][words]; one more row for the padding
  Assignment current_;
  std::vector<bool> is_set_;           // [neuron] on the current path
  std::vector<std::uint32_t> number_;  // [sample] vector of counts
};

double discrete_risk(const Problem& problem, const CountTable& counts, const Assignment& gates);

struct BestAssignment {
  Assignment gates;
  double risk = 0;
};
// R* by looking at every assignment; at most kMaxSearched neurons.
BestAssignment best_assignment(const Problem& problem, const CountTable& counts);

}  // namespace firn::theory
