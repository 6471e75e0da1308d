#include "firn/theory/count_table.h"

#include <algorithm>

namespace firn::theory {

namespace {

constexpr std::size_t kMaxVectors = std::size_t{1} << 20;

}  // namespace

bool CountTable::fits(std::size_t outputs, std::size_t groups) {
  std::size_t left = kMaxVectors;
  for (std::size_t g = 0; g < groups; ++g) left /= outputs / groups + 1;
  return left > 0;
}

CountTable::CountTable(const Problem& problem) {
  const GateList& gates = problem.network.gates();
  const std::size_t values = gates.group_rows() + 1;  // of one count
  std::size_t size = 1;
  for (std::size_t g = 0; g < gates.groups; ++g, size *= values) steps_.insert(steps_.end(), gates.group_rows(), size);
  FIRN_CHECK(size <= kMaxVectors);
  for (std::size_t number = 0; number < size; ++number) {
    reference::Values<double>& sums = class_sums_.emplace_back();
    for (std::size_t g = 0, rest = number; g < gates.groups; ++g, rest /= values)
      sums.push_back(gates.offset + gates.factor * static_cast<double>(rest % values));
  }
  const std::size_t labels = *std::ranges::max_element(problem.population.labels) + 1;
  for (std::size_t label = 0; label < labels; ++label) {
    std::vector<double>& losses = losses_.emplace_back();
    for (const auto& sums : class_sums_) losses.push_back(problem.loss.value(sums, label));
  }
}

}  // namespace firn::theory
