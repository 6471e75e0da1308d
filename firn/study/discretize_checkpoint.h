// Freezes every neuron of a checkpoint by a rule and measures what that did to the discrete network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/discretize/selection.h"
#include "firn/study/parts.h"
#include "firn/train/evaluate.h"

namespace firn::study {

struct DiscretizeParams {
  std::filesystem::path checkpoint = {}, output = {};  // `output` is a checkpoint, too
  std::string data_root = {};
  SelectionSettings settings = {};
  std::size_t samples = 512;  // training examples that risks are measured on
  const Parts* parts = &standard_parts();
  std::function<void(std::uint64_t done, std::uint64_t total)> on_decision = {};
};

// Discrete risk before and after, on examples that the rule has not seen and on those it has.
struct DiscretizeResult {
  std::uint64_t step = 0;
  Evaluation validation_before, validation_after, samples_before, samples_after;
  std::vector<LayerDecisions> layers;
};

// Refuses to write over the checkpoint itself.
DiscretizeResult discretize_checkpoint(const DiscretizeParams& params, Threads& threads);

}  // namespace firn::study
