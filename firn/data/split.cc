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

namespace {

// How many of each class are held out: its share, rounded down, and one more where the most is lost by that.
std::vector<std::size_t> shares(std::span<const std::uint16_t> labels, std::size_t classes, std::size_t validation) {
  std::vector<std::size_t> counts(classes), held_out(classes), by_loss(classes);
  for (const std::uint16_t label : labels) ++counts.at(label);
  std::size_t left = validation;
  for (std::size_t c = 0; c < classes; ++c) {
    held_out[c] = validation * counts[c] / labels.size();
    left -= held_out[c];
  }
  std::iota(by_loss.begin(), by_loss.end(), std::size_t{0});
  std::ranges::stable_sort(by_loss, std::ranges::greater{},
                           [&](std::size_t c) { return validation * counts[c] % labels.size(); });
  for (std::size_t i = 0; i < left; ++i) ++held_out[by_loss[i]];
  for (std::size_t c = 0; c < classes; ++c)
    if (held_out[c] >= counts[c]) held_out[c] = counts[c] - std::min<std::size_t>(counts[c], 1);
  return held_out;
}

}  // namespace

Split draw_stratified_split(std::span<const std::uint16_t> labels, std::size_t classes, std::size_t validation,
                            std::uint64_t seed) {
  FIRN_CHECK(validation <= labels.size() && labels.size() <= std::numeric_limits<std::uint32_t>::max());
  RandomSequence random(seed, "data/split");
  std::vector<std::size_t> left = shares(labels, classes, validation);
  Split split;
  for (const std::uint32_t i : permutation(static_cast<std::uint32_t>(labels.size()), random)) {
    const bool held_out = left[labels[i]] > 0;
    if (held_out) --left[labels[i]];
    (held_out ? split.validation : split.train).push_back(i);
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.validation);
  return split;
}

std::string_view automatic_split(std::string_view source) {
  const bool file_of_user = source == "csv" || source == "table" || source == "npy" || source == "images";
  return file_of_user ? "stratified" : "uniform";
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
  const std::string_view kind = settings.split == "auto" ? automatic_split(settings.source) : settings.split;
  if (kind == "stratified" && !dataset.train.labels.empty())  // values have no classes to divide by
    return draw_stratified_split(dataset.train.labels, dataset.classes, validation, settings.split_seed);
  return draw_split(examples, validation, settings.split_seed);
}

std::vector<std::uint32_t> all_indices(std::size_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

}  // namespace firn::data
