// Freezes every neuron of a model or checkpoint by a rule, and measures what that did to the discrete network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/discretize/selection.h"
#include "firn/study/parts.h"
#include "firn/train/evaluate.h"
#include "firn/train/settings.h"

namespace firn::study {

// `count` of the examples, or all where there are fewer, drawn by the seed, in ascending order: what a rule measures
// risks on.
std::vector<std::uint32_t> draw_risk_samples(std::span<const std::uint32_t> examples, std::size_t count,
                                             std::uint64_t seed);

using OnDecision = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Freezes every relaxed neuron of a model that was trained with `trained`; `on_decision` may be empty.
std::vector<LayerDecisions> discretize_model(Model& model, const Encoder& encoder, const Loss& loss, double temperature,
                                             const Examples& examples, std::span<const std::uint32_t> samples,
                                             const SelectionSettings& settings, Threads& threads,
                                             const OnDecision& on_decision = {});

// What settings.rule may be for a checkpoint: the rules of selection.h, which choose a slot for each neuron, and
// "refine", which starts from argmax and changes gates by their exact effect (refine_checkpoint.h has more to choose
// from).
std::vector<std::string> discretize_rules();

struct DiscretizeParams {
  std::filesystem::path checkpoint = {}, output = {};  // `output` is a checkpoint, too
  std::string data_root = {};
  SelectionSettings settings = {};
  std::size_t samples = 512;  // training examples that risks are measured on
  const Parts* parts = &standard_parts();
  OnDecision on_decision = {};
  std::function<void(const std::string&)> on_warning = {};  // before the work: examples have changed since training
};

// Discrete risk before and after, on examples that the rule has not seen and on those it has.
struct DiscretizeResult {
  std::uint64_t step = 0;
  Evaluation validation_before, validation_after, samples_before, samples_after;
  std::vector<LayerDecisions> layers;
};

// Refuses to write over the checkpoint itself and the files of its data.
DiscretizeResult discretize_checkpoint(const DiscretizeParams& params, Threads& threads);

}  // namespace firn::study
