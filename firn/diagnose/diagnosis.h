// A whole diagnosis: the parts that were asked for, measured on two halves of one set of samples.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/diagnose/freeze_effects.h"
#include "firn/diagnose/gaps.h"
#include "firn/diagnose/held_out.h"
#include "firn/diagnose/locality.h"

namespace firn::diagnose {

struct DiagnoseSettings {
  bool effects = true, locality = true, held_out = true, gaps = true;
  std::size_t neurons = 50;  // of every layer, for locality
  std::uint64_t seed = 1;
  std::size_t resamples = 1000;  // of the bootstrap

  bool needs_neurons() const { return effects || locality || held_out; }
};

struct Diagnosis {
  std::vector<Mixtures::Group> layers;
  std::size_t samples = 0;
  std::size_t relaxed_neurons = 0, frozen_neurons = 0;  // of the layers in scope
  double risk = 0;                                      // relaxed, mean over the samples, in double
  std::optional<double> tied;  // share of pooled values without a single winner; nothing where nothing is pooled
  std::vector<FreezeEffect> effects;
  std::vector<EffectSummary> effect_summaries;
  std::optional<Locality> locality;
  std::optional<HeldOut> held_out;
  std::optional<LayeredGaps> gaps;
};

// Hears what is being done and how far it is; called by the thread that started the work.
using OnStage = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

// Refuses a network that predicts values: effects are measured on losses of classes.
void check_diagnosable(const Model& model);

// Everything but gaps. `halves` are disjoint sets of samples, neither empty.
Diagnosis diagnose(const ConeNetwork& network, const std::array<SampleSet, 2>& halves, const DiagnoseSettings& settings,
                   Threads& threads, const OnStage& on_stage, Ranks& ranks = one_rank());

}  // namespace firn::diagnose
