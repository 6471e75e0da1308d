// Diagnoses models, and checkpoints of runs: chooses the samples, measures, and writes tables and summaries into
// folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/diagnose/diagnosis.h"
#include "firn/study/diagnose_discrete.h"
#include "firn/study/diagnose_shocks.h"
#include "firn/study/parts.h"
#include "firn/study/subset.h"

namespace firn::study {

// Effects of single neurons on the listed examples, whose first and second half are two samples of their own. Refuses
// fewer than two. `on_stage` may be empty.
Diagnosis diagnose_examples(const ConeNetwork& network, const Encoder& encoder, const Examples& examples,
                            std::span<const std::uint32_t> indices, const DiagnoseSettings& settings,
                            const OnStage& on_stage, Threads& threads, Ranks& ranks = one_rank());

struct DiagnoseParams {
  std::string data_root = {};
  Subset subset = Subset::kValidation;
  // Drawn by the seed, 0 for all. Nothing: 1,000, or all where there are fewer; flips are judged on all.
  std::optional<std::size_t> samples = {};
  DiagnoseSettings settings = {};
  bool check = false;     // compare effects with the slow reference; settings.neurons of every layer
  bool discrete = false;  // flips of the discrete network; settings.neurons of every layer beside relaxed effects
  bool shocks = false;    // what TaskFreeze sees
  std::optional<std::size_t> fit_samples = {};  // training examples for flips: see DiscreteSettings
  std::size_t batches = ShockSettings{}.batches;
  const Parts* parts = &standard_parts();
  OnStage on_stage = {};
  std::function<void(const std::string&)> on_warning = {};  // before the work: data have changed since training
  std::function<bool()> wait = {};                          // for another process that uses the folder, see FolderLock
  Ranks* ranks = &one_rank();                               // all of which share the work; rank 0 writes
};

// Effects of one layer compared with the reference.
struct CheckedLayer {
  std::string layer;
  std::size_t neurons = 0, unresolved = 0;      // those whose effect is too small to be judged
  double smallest_effect = 0, worst_error = 0;  // of the others; the error is relative
};

struct CheckpointDiagnosis {
  std::filesystem::path checkpoint = {};
  std::uint64_t step = 0;
  Shape sample = {};
  Diagnosis diagnosis = {};
  std::vector<CheckedLayer> checked = {};  // empty unless it was to be checked
  bool failed_check = false;
  std::optional<DiscreteDiagnosis> discrete = {};
  std::optional<ShockDiagnosis> shocks = {};
  nlohmann::json summary = {};
};

// Writes the tables and summary.json into `folder`, which is made.
CheckpointDiagnosis diagnose_checkpoint(const std::filesystem::path& checkpoint, const std::filesystem::path& folder,
                                        const DiagnoseParams& params, Threads& threads);

using OnCheckpoint = std::function<void(const CheckpointDiagnosis&)>;

// Diagnoses every kept checkpoint of every run folder into FOLDER/RUN/STEP, and writes and returns the summary: means
// over the checkpoints of a run, then mean and deviation over the runs. Run folders must differ in their names.
nlohmann::json diagnose_runs(std::span<const std::filesystem::path> runs, const std::filesystem::path& folder,
                             const DiagnoseParams& params, Threads& threads, const OnCheckpoint& on_checkpoint);

}  // namespace firn::study
