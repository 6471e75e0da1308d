// Diagnoses what TaskFreeze sees: the score of every argmax slot on the batches that training would take next, with the
// network held fixed, and what the rule would freeze on such scores.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/diagnose/diagnosis.h"
#include "firn/study/session.h"

namespace firn::study {

struct ShockSettings {
  std::size_t batches = 1000;
  std::uint64_t seed = 1;  // of the replays
};

// The score of one neuron's argmax slot over the batches.
struct NeuronShock {
  std::size_t layer = 0, neuron = 0, slot = 0;  // layer: an index of ShockDiagnosis::layers
  double logit = 0, entropy = 0;
  double mean = 0, deviation = 0;     // the sample standard deviation
  double negative = 0, positive = 0;  // shares of the batches in which it was below and above zero

  // Most batches have the opposite sign to the mean: many small scores are outweighed by a few large ones.
  bool misleads() const { return mean < 0 ? positive > 0.5 : mean > 0 && negative > 0.5; }

  // Empty if every batch gave the same score, as for a neuron that nothing depends on.
  std::optional<double> ratio() const;
};

// Frozen shares are reported this many evaluations after the first that can freeze anything.
inline constexpr std::array<std::size_t, 5> kLaterEvaluations = {0, 2, 7, 17, 37};

// The share of the neurons that the rule would have frozen after each of ShockDiagnosis::evaluations: mean, lowest and
// highest of several replays, in which every evaluation draws one of the recorded batches, the same for all neurons.
struct FrozenShares {
  std::array<double, kLaterEvaluations.size()> mean{}, lowest{}, highest{};
};
struct ShockReplay {
  FrozenShares measured;    // the scores as they are
  FrozenShares centred;     // each neuron's mean subtracted: noise alone
  FrozenShares every_step;  // means of as many batches as an interval has steps
};

struct LayerShocks {
  std::string layer;  // or "all"
  std::size_t neurons = 0;
  std::size_t silent = 0;                           // without a ratio
  std::size_t negative = 0;                         // whose mean is below zero
  std::size_t misleading = 0;                       // for which NeuronShock::misleads() is true
  std::array<std::optional<double>, 3> ratio = {};  // 10 %, 50 % and 90 % quantiles over neurons
  std::optional<double> logit = {};                 // median
  std::optional<double> correlation = {};           // mean over pairs of neurons, of their scores over batches
  std::optional<double> with_loss = {};             // correlation of the batch's loss with its mean standardized score
  ShockReplay frozen = {};
};

struct ShockDiagnosis {
  std::size_t batches = 0;
  TaskSettings rule;                     // the rule that is replayed
  std::vector<std::size_t> evaluations;  // after which shares are reported; the first that can freeze comes first
  std::vector<std::string> layers;
  std::vector<NeuronShock> neurons;  // those that are not frozen, layer by layer
  std::vector<LayerShocks> summaries;
};

// Refuses fewer than two batches, and more than memory holds for these neurons and this rule.
void check_settings(const ShockSettings& settings, const TaskSettings& rule, const Mixtures& mixtures);

// `mixtures` are those of the checkpoint's model; settings as check_settings() accepts them.
ShockDiagnosis diagnose_shocks(const LoadedCheckpoint& loaded, const Mixtures& mixtures, const ShockSettings& settings,
                               const OnStage& on_stage, Threads& threads, Ranks& ranks = one_rank());

// shocks.csv: one row per neuron.
void write_shocks(const ShockDiagnosis& diagnosis, const std::filesystem::path& file);
nlohmann::json to_json(const ShockDiagnosis& diagnosis);

}  // namespace firn::study
