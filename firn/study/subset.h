// The part of a data set that a trained model is judged on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "firn/train/experiment.h"

namespace firn::study {

enum class Subset { kValidation, kTest };

Subset subset_from_name(std::string_view name);  // "val" or "test"
std::string_view name_of(Subset subset);
std::string_view long_name_of(Subset subset);  // for sentences: "validation" or "test"

struct SubsetExamples {
  const Examples& examples;
  std::vector<std::uint32_t> indices;  // of those that are chosen
};

// An Error where the data have no such examples.
SubsetExamples subset_of(const Experiment& experiment, Subset subset);

}  // namespace firn::study
