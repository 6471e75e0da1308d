// The family of strategies: each decides, as a hook of training, which neurons to commit and when, or how to estimate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "firn/discretize/freezer.h"
#include "firn/discretize/settings.h"
#include "firn/train/experiment.h"
#include "firn/train/hook.h"
#include "firn/train/resample.h"

namespace firn::discretize {

// What a run trains on, for strategies that look at more than the batch of a step.
struct TrainingExamples {
  const Experiment& experiment;
  std::string augment;  // its name
};

// What a strategy is made from. `redraw` tells what resampling did to a neuron in this step: hooks act in order, and
// resampling comes first.
struct StrategyContext {
  const FreezeSettings& settings;
  Model& model;
  Freezer& freezer;
  Threads& threads;
  std::uint64_t seed;
  std::uint64_t steps;  // of the whole run
  std::function<Resampler::Redraw(std::size_t group, std::size_t i)> redraw = [](std::size_t, std::size_t) {
    return Resampler::Redraw::kNone;
  };
  std::optional<TrainingExamples> examples = std::nullopt;
};

// A strategy has neither state nor effect before the step `settings.start`, so that runs which differ only in it can
// share their steps up to there.
struct StrategyEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Hook> (*make)(const StrategyContext&);
  bool acts = true;                // false: nothing ever happens, so the start means nothing and resampling goes on
  bool depends_on_length = false;  // on the number of steps of the whole run, which then cannot be made longer
};

std::span<const StrategyEntry> strategies();  // those that Firn brings along

// The one that settings.strategy names.
std::unique_ptr<Hook> make_strategy(const StrategyContext& context,
                                    std::span<const StrategyEntry> entries = strategies());

// One line each in the table.
std::unique_ptr<Hook> make_final_argmax(const StrategyContext& context);
std::unique_ptr<Hook> make_global(const StrategyContext& context);
std::unique_ptr<Hook> make_task(const StrategyContext& context);
std::unique_ptr<Hook> make_entropy(const StrategyContext& context);
std::unique_ptr<Hook> make_layer_entropy(const StrategyContext& context);
std::unique_ptr<Hook> make_cage(const StrategyContext& context);
std::unique_ptr<Hook> make_hard_st(const StrategyContext& context);
std::unique_ptr<Hook> make_gumbel_st(const StrategyContext& context);
std::unique_ptr<Hook> make_soft_gumbel(const StrategyContext& context);
std::unique_ptr<Hook> make_annealed(const StrategyContext& context);

}  // namespace firn::discretize
