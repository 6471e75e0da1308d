#include "firn/study/subset.h"

#include <fmt/format.h>

#include <array>

#include "firn/base/error.h"
#include "firn/base/family.h"

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

}  // namespace firn::study
