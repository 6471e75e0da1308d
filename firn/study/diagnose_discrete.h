// Diagnoses the discrete network of a checkpoint: exact effects of single-row flips of its gates, on examples that it
// was trained on and on others, beside what the relaxed network says about the same replacements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/threads.h"
#include "firn/diagnose/diagnosis.h"
#include "firn/study/flip_summary.h"
#include "firn/study/session.h"
#include "firn/study/subset.h"

namespace firn::study {

struct DiscreteSettings {
  // Training examples, drawn by the seed; 0 for all; nothing: 10,000, or all where there are fewer.
  std::optional<std::size_t> fit_samples = {};
  std::size_t relaxed_samples = 1000;  // of those, for scores and effects of the relaxed network, which are slow
  std::size_t neurons = 50;            // of every layer, whose relaxed effects are measured
  std::uint64_t seed = 1;
};

struct DiscreteDiagnosis {
  std::size_t fitting_samples = 0, held_out_samples = 0, relaxed_samples = 0;
  Risk fitting, held_out;
  std::vector<std::string> layers;  // of the Boolean network
  std::vector<DiscreteFlip> flips;  // four per gate, layer by layer
  std::vector<LayerFlips> summaries;
};

// The training examples that flips are measured on, in random order. Refuses more than there are, and encodings that a
// discrete network cannot read.
SubsetExamples draw_fitting_examples(const Experiment& experiment, const DiscreteSettings& settings);

// `network` is the relaxed network of the checkpoint.
DiscreteDiagnosis diagnose_discrete(const LoadedCheckpoint& loaded, const ConeNetwork& network,
                                    const SubsetExamples& fitting, const SubsetExamples& held_out,
                                    const DiscreteSettings& settings, const OnStage& on_stage, Threads& threads);

// flips.csv: one row per flip.
void write_flips(const DiscreteDiagnosis& diagnosis, const std::filesystem::path& file);
nlohmann::json to_json(const DiscreteDiagnosis& diagnosis);

}  // namespace firn::study
