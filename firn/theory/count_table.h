// Everything the head of a discrete network can say: all vectors of counts, with their class sums and losses.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/theory/problem.h"

namespace firn::theory {

// Vectors of counts are numbered; setting the bit of output `o` adds step(o) to the number.
class CountTable {
 public:
  explicit CountTable(const Problem& problem);

  // Whether a head with so many outputs, in equal groups, has few enough vectors of counts.
  static bool fits(std::size_t outputs, std::size_t groups);

  std::size_t size() const { return class_sums_.size(); }
  std::size_t step(std::size_t output) const { return steps_[output]; }
  const reference::Values<double>& class_sums(std::size_t number) const { return class_sums_[number]; }
  double loss(std::size_t number, std::size_t label) const { return losses_[label][number]; }

 private:
  std::vector<std::size_t> steps_;                     // [output]
  std::vector<reference::Values<double>> class_sums_;  // [number]
  std::vector<std::vector<double>> losses_;            // [label][number]
};

}  // namespace firn::theory
