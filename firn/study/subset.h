// The part of a data set that a trained model is judged on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

struct ExampleDraw {
  std::optional<std::size_t> wanted = {};  // 0: all; nothing: `usual`, or all where there are fewer
  std::size_t usual = 0;                   // 0: all
  std::uint64_t seed = 1;
  std::string_view stream, part;  // of random numbers; of the data, for sentences
};

// So many of the listed examples, in random order. Refuses more than there are.
std::vector<std::uint32_t> draw_examples(std::span<const std::uint32_t> indices, const ExampleDraw& draw);

}  // namespace firn::study
