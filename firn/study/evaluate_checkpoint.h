// Evaluates a checkpoint on the data it was trained on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/study/parts.h"
#include "firn/study/subset.h"
#include "firn/train/evaluate.h"

namespace firn::study {

struct EvaluateParams {
  std::filesystem::path checkpoint = {};
  std::string data_root = {};
  Subset subset = Subset::kTest;
  std::vector<EvaluationMode> modes = {EvaluationMode::kRelaxed, EvaluationMode::kDiscrete};
  const Parts* parts = &standard_parts();
};

struct CheckpointEvaluation {
  std::uint64_t step = 0;
  std::size_t classes = 0;
  std::vector<std::string> class_names;  // may be empty
  std::vector<Evaluation> evaluations;   // one for each mode
  Shape sample;
  std::optional<std::string> warning = {};  // the examples are not those that the checkpoint knows
};

CheckpointEvaluation evaluate_checkpoint(const EvaluateParams& params, Threads& threads);

}  // namespace firn::study
