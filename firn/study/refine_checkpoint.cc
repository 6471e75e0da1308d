#include "firn/study/refine_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <system_error>

#include "firn/base/file.h"
#include "firn/base/random.h"
#include "firn/base/table.h"
#include "firn/logic/gate.h"
#include "firn/refine/write_back.h"
#include "firn/study/argument_error.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/output_file.h"
#include "firn/study/refine_state_file.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "firn/study/subset.h"
#include "firn/study/tell.h"
#include "firn/train/rank_agreement.h"

namespace firn::study {

namespace {

std::filesystem::path with_ending(std::filesystem::path path, const char* ending) {
  path += ending;
  return path;
}

std::filesystem::path moves_file(const RefineParams& params) {
  return with_ending(params.output, ".moves.csv");
}

std::filesystem::path partial_file(const RefineParams& params) {
  return with_ending(params.output, ".partial");
}

void check_outputs(const RefineParams& params, std::span<const std::filesystem::path> inputs) {
  check_output(params.output, inputs);
  if (is_stream(params.output)) return;
  check_output(moves_file(params), inputs);
  check_output(partial_file(params), inputs);
}

struct ChosenExamples {
  std::vector<std::uint32_t> fitting, held_out;  // indices of training examples
};

ChosenExamples choose_examples(const Experiment& experiment, const RefineParams& params) {
  ChosenExamples chosen;
  const std::vector<std::uint32_t> validation = subset_of(experiment, Subset::kValidation).indices;
  if (params.fit_split == "train") {
    chosen = {experiment.split.train, validation};
  } else if (params.fit_split == "validation") {
    for (std::size_t i = 0; i < validation.size(); ++i)
      (i % 2 == 0 ? chosen.fitting : chosen.held_out).push_back(validation[i]);
  } else {
    throw ArgumentError(
        fmt::format("\"{}\" is not a split that can be fitted to; choose train or validation", params.fit_split));
  }
  if (params.images != 0) chosen.fitting = draw_risk_samples(chosen.fitting, params.images, params.settings.seed);
  return chosen;
}

std::string optional_number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "default";
}

// Two refinements are the same when these words are.
std::string identity_of(const RefineParams& params, std::size_t copies, const Fingerprints& data) {
  const RefineSettings& s = params.settings;
  return fmt::format("2 {:016x} {} {} {} {} {} {} {} {} {} {} {}", stream_id(read_text(params.checkpoint)), s.objective,
                     fmt::join(s.layers, ","), s.sweeps, copies, optional_number(s.shared_significance),
                     optional_number(s.single_significance), s.seed, params.fit_split, params.images, data.train,
                     data.test);
}

void write_moves(const std::filesystem::path& path, const RefineState& state, const BooleanNetwork& network) {
  CsvText table({"sweep", "layer", "neuron", "before", "after", "effect", "standard_error", "kept"});
  for (const AcceptedMove& move : state.moves)
    table.add({fmt::format("{}", move.sweep), network.layers[move.layer].wiring.name, fmt::format("{}", move.gate),
               std::string(name(static_cast<Gate>(move.before))), std::string(name(static_cast<Gate>(move.after))),
               fmt::format("{:.9g}", move.effect), fmt::format("{:.9g}", move.error),
               move.sweep <= state.best_sweep ? "yes" : "no"});
  write_file(path, table.str());
}

void write_outputs(const RefineParams& params, const Refiner& refiner, const BooleanNetwork& before, Model& model) {
  Checkpoint::read(params.checkpoint).save_changed(params.output, [&](StateVisitor& visitor) {
    model.visit_state(visitor);
  });
  if (is_stream(params.output)) return;
  write_moves(moves_file(params), refiner.state(), before);
  std::error_code ignored;
  std::filesystem::remove(partial_file(params), ignored);
}

std::size_t count_changed_gates(const BooleanNetwork& before, const BooleanNetwork& after) {
  std::size_t changed = 0;
  for (std::size_t l = 0; l < before.layers.size(); ++l)
    for (std::size_t g = 0; g < before.layers[l].gates.size(); ++g)
      changed += before.layers[l].gates[g] != after.layers[l].gates[g];
  return changed;
}

RefineResult describe(const Refiner& refiner, const BooleanNetwork& before) {
  const RefineState& state = refiner.state();
  const BooleanNetwork after = refiner.best();
  const Outcome outcome = refiner.outcome_of(after);
  RefineResult result;
  result.is_complete = true;
  result.sweeps = state.sweeps_done;
  result.best_sweep = state.best_sweep;
  result.moves = static_cast<std::size_t>(
      std::ranges::count_if(state.moves, [&](const AcceptedMove& m) { return m.sweep <= state.best_sweep; }));
  result.changed_gates = count_changed_gates(before, after);
  result.working_gates_before = count_working_gates(before);
  result.working_gates_after = count_working_gates(after);
  result.judged_examples = outcome.losses.size();
  result.before = refiner.outcome_before().risk();
  result.after = outcome.risk();
  result.change = paired_change(refiner.outcome_before(), outcome);
  return result;
}

}  // namespace

RefineResult refine_checkpoint(const RefineParams& params, Threads& threads, Ranks& ranks) {
  if (ranks.is_first()) check_outputs(params, std::array{params.checkpoint});
  LoadedCheckpoint loaded = load_checkpoint(params.checkpoint, params.data_root, *params.parts);
  if (ranks.is_first()) check_outputs(params, files_of_data(loaded.config, params.data_root));
  Experiment& experiment = loaded.experiment;
  const ChosenExamples chosen = choose_examples(experiment, params);
  if (const auto warning =
          warn_of_changed_split(experiment.data, /*is_test=*/false, loaded.header.data, params.checkpoint.string()))
    tell(params.on_warning, *warning);
  const BooleanNetwork network = experiment.model->harden();
  Refiner refiner({network, experiment.loss, experiment.data, experiment.encoder, loaded.config.data.augment,
                   chosen.fitting, chosen.held_out, threads, ranks},
                  params.settings);
  const bool is_kept = !is_stream(params.output);
  const Fingerprints fingerprints = fingerprints_of(experiment.data);
  const std::string identity = identity_of(params, refiner.copies(), fingerprints);
  if (is_kept)
    if (const auto state = load_refine_state(partial_file(params), identity)) refiner.restore(*state);
  check_same_ground(fmt::format("{} {}", identity, refiner.state().sweeps_done), fingerprints, ranks);
  if (params.on_start) params.on_start(refiner.bytes(), refiner.copies(), refiner.state().sweeps_done);
  while (!refiner.is_finished()) {
    SweepReport report;
    if (!refiner.sweep(params.observer, report)) return {};
    if (is_kept && ranks.is_first()) save_refine_state(partial_file(params), refiner.state(), identity);
    if (params.on_sweep) params.on_sweep(report);
  }
  freeze_gates(refiner.best(), refiner.layers_in_scope(), *experiment.model);
  if (ranks.is_first()) write_outputs(params, refiner, network, *experiment.model);
  RefineResult result = describe(refiner, network);
  result.step = loaded.header.step;
  return result;
}

}  // namespace firn::study
