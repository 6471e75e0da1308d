#include "firn/train/loss_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/base/error.h"

namespace firn::training {

namespace {

std::vector<float> balanced_weights(const Dataset& data, std::span<const std::uint32_t> training) {
  std::vector<std::size_t> counts(data.classes);
  for (const std::uint32_t i : training) ++counts[data.train.labels[i]];
  const auto occurring = static_cast<double>(data.classes - static_cast<std::size_t>(std::ranges::count(counts, 0u)));
  std::vector<float> weights;
  for (const std::size_t count : counts)
    weights.push_back(count == 0 ? 1
                                 : static_cast<float>(static_cast<double>(training.size()) /
                                                      (occurring * static_cast<double>(count))));
  return weights;
}

std::vector<float> listed_weights(const Dataset& data, const std::vector<double>& listed) {
  if (listed.size() != data.classes)
    throw Error(fmt::format("train.class_weights has {} weights, but {} has {} classes; give one weight per class",
                            listed.size(), data.name, data.classes));
  if (std::ranges::all_of(listed, [](double weight) { return weight == 0; }))
    throw Error("train.class_weights are all 0, so that nothing would be learned; give some class a weight above 0");
  return {listed.begin(), listed.end()};
}

// Two passes: squares of values far from 0 would swallow their spread.
float standard_deviation(std::span<const float> targets, std::span<const std::uint32_t> training) {
  const auto count = static_cast<double>(training.size());
  double mean = 0, squares = 0;
  for (const std::uint32_t i : training) mean += targets[i] / count;
  for (const std::uint32_t i : training) squares += (targets[i] - mean) * (targets[i] - mean) / count;
  return static_cast<float>(std::sqrt(squares));
}

}  // namespace

LossScale fit_loss_scale(const Dataset& data, std::span<const std::uint32_t> training,
                         const NumbersOrWord& class_weights) {
  LossScale scale;
  if (!data.train.targets.empty()) {
    if (!class_weights.empty())
      throw Error("train.class_weights are for classes, but values are predicted; remove them");
    scale.unit = standard_deviation(data.train.targets, training);
    if (!(scale.unit > 0))
      throw Error(fmt::format("{}: the value to predict is the same in every training example", data.name));
  } else if (class_weights.word == "balanced") {
    scale.class_weights = balanced_weights(data, training);
  } else if (!class_weights.numbers.empty()) {
    scale.class_weights = listed_weights(data, class_weights.numbers);
  }
  return scale;
}

}  // namespace firn::training
