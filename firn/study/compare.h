// Two runs side by side: in which keys their configurations differ, and what each of them reached.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/study/config_values.h"

namespace firn::study {

// A number of one result, or of both.
struct ResultPair {
  std::string name;  // as in "test.last.discrete.accuracy"
  std::optional<double> first, second;
};

struct RunComparison {
  std::vector<ConfigDifference> config;  // every key whose values differ, in the order of configurations
  std::vector<ResultPair> results;       // every number that one of them has, equal or not
};

// Either may be the folder of a run, a checkpoint, a compiled model, or a result.json. A folder has the test results of
// its last and best checkpoint, and the last evaluation on validation examples; a checkpoint the evaluation of its own
// step, where the folder around it has one; a model its size.
RunComparison compare(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace firn::study
