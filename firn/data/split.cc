#include "firn/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "firn/base/error.h"
#include "firn/base/random.h"

namespace firn::data {

Split draw_split(std::size_t examples, std::size_t validation, std::uint64_t seed) {
  FIRN_CHECK(validation <= examples && examples <= std::numeric_limits<std::uint32_t>::max());
  RandomSequence random(seed, "data/split");
  const std::vector<std::uint32_t> order = permutation(static_cast<std::uint32_t>(examples), random);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(validation);
  Split split{.train = {cut, order.end()}, .validation = {order.begin(), cut}};
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.validation.begin(), split.validation.end());
  return split;
}

Split split_train(const Dataset& dataset, const DataSettings& settings) {
  const std::size_t examples = dataset.train.count();
  if (dataset.validation_tail > 0) {
    FIRN_CHECK(dataset.validation_tail < examples);
    Split split{.train = all_indices(examples), .validation = {}};
    const auto tail = split.train.end() - static_cast<std::ptrdiff_t>(dataset.validation_tail);
    split.validation.assign(tail, split.train.end());
    split.train.erase(tail, split.train.end());
    return split;
  }
  const std::size_t validation = settings.validation == 0 ? examples / 10 : settings.validation;
  if (validation >= examples)
    throw Error(fmt::format("{} has {} training examples, so {} cannot be held out; lower data.validation",
                            dataset.name, examples, validation));
  return draw_split(examples, validation, settings.split_seed);
}

std::vector<std::uint32_t> all_indices(std::size_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

}  // namespace firn::data
