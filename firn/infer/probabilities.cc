#include "firn/infer/probabilities.h"

#include <algorithm>
#include <cmath>

#include "firn/base/error.h"

namespace firn::infer {

std::vector<double> probabilities(const Head& head, std::span<const std::uint32_t> counts) {
  FIRN_CHECK(counts.size() == head.groups);
  std::vector<double> values;
  for (const std::uint32_t count : counts)
    values.push_back(static_cast<double>(head.offset) + static_cast<double>(head.factor) * count);
  if (values.size() == 1) {
    const double second = head.threshold == 0 ? 1 / (1 + std::exp(-values[0])) : std::clamp(values[0], 0.0, 1.0);
    return {1 - second, second};
  }
  const double largest = *std::ranges::max_element(values);
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
  return values;
}

}  // namespace firn::infer
