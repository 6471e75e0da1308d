#include "firn/study/subset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/progress.h"
#include "firn/base/random.h"

namespace firn::study {

namespace {

struct SubsetEntry {
  std::string_view name, long_name;
  Subset subset;
};
constexpr std::array kSubsets = {SubsetEntry{"val", "validation", Subset::kValidation},
                                 SubsetEntry{"test", "test", Subset::kTest}};

}  // namespace

Subset subset_from_name(std::string_view name) {
  return entry_named(name, kSubsets, "part of the data").subset;
}

std::string_view name_of(Subset subset) {
  return kSubsets[static_cast<std::size_t>(subset)].name;
}

std::string_view long_name_of(Subset subset) {
  return kSubsets[static_cast<std::size_t>(subset)].long_name;
}

SubsetExamples subset_of(const Experiment& experiment, Subset subset) {
  if (subset == Subset::kValidation) {
    if (experiment.split.validation.empty())
      throw Error(fmt::format("\"{}\" leaves no examples for validation; use its test set", experiment.data.name));
    return {experiment.data.train, experiment.split.validation};
  }
  if (experiment.data.test.count() == 0)
    throw Error(fmt::format("\"{}\" has no test set; use its validation set", experiment.data.name));
  return {experiment.data.test, all_indices(experiment.data.test.count())};
}

std::vector<std::uint32_t> draw_examples(std::span<const std::uint32_t> indices, const ExampleDraw& draw) {
  const std::size_t available = indices.size();
  std::size_t count = draw.wanted.value_or(std::min(draw.usual, available));
  if (count == 0) count = available;
  if (count > available)
    throw Error(fmt::format("the {} set has {} examples, not {}; choose fewer samples, or 0 for all", draw.part,
                            format_count(available), format_count(count)));
  RandomSequence random(draw.seed, draw.stream);
  std::vector<std::uint32_t> chosen = permutation(static_cast<std::uint32_t>(available), random);
  chosen.resize(count);
  for (std::uint32_t& place : chosen) place = indices[place];
  return chosen;
}

}  // namespace firn::study
