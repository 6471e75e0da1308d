// The thresholds of an encoder by feature: what a program must compare with when it encodes samples itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firn/circuit/comparators.h"
#include "firn/infer/model_file.h"

namespace firn::study {

// Consecutive features that share their thresholds: one feature, those of a channel, or all. Features with names stand
// alone.
struct ThresholdGroup {
  std::string name;                  // "every feature", "channel 2", "feature 7", or the name of the feature
  std::size_t first = 0, count = 0;  // features
  std::vector<float> thresholds;     // bit t is value > thresholds[t]
  std::optional<float> fill = {};    // what a missing value becomes; nothing: refused
  std::optional<float> flag = {};    // of a category or bit: the value where it is set, which is 0 elsewhere
};

std::vector<ThresholdGroup> threshold_groups(const CircuitModel& model);

// The encoder with what missing values become, as floats can express it; else filling in is left to the caller.
Comparators input_comparators(const CircuitModel& model, const InputFormat& format);

// The names of a model's features; empty where they have none.
std::vector<std::string> feature_names_of(const CircuitModel& model);

}  // namespace firn::study
