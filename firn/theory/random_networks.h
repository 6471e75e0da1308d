// The theorems on many random small networks: every neuron is fixed in turn, and every inequality looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firn/base/threads.h"

namespace firn::theory {

// One inequality `left <= right` over everything it was tested on.
struct InequalityCheck {
  std::string name;
  std::size_t tested = 0, violated = 0;
  double smallest_slack = 0;   // right - left
  std::vector<double> ratios;  // left / right, where right is not 0

  void test(double left, double right);
  void merge(const InequalityCheck& other);
  double median_ratio() const;
};

struct BoundsSettings {
  std::size_t networks = 1000;
  std::uint64_t seed = 1;
  std::size_t max_neurons = 6;  // of a network, at least 2
};

struct BoundsReport {
  std::vector<InequalityCheck> checks;
  std::size_t networks = 0;
  std::size_t decisions = 0;        // neurons that were fixed, one after the other
  std::size_t condition_held = 0;   // decisions with Gamma > 2 epsilon
  std::size_t disagreements = 0;    // decisions where the first-order choice is not argmax
  std::size_t first_order_won = 0;  // and where it had the lower conditional risk

  std::size_t violations() const;
};

// `on_progress` is told how many networks are done.
BoundsReport check_bounds(
    const BoundsSettings& settings, Threads& threads,
    const std::function<void(std::size_t)>& on_progress = [](std::size_t) {});

}  // namespace firn::theory
