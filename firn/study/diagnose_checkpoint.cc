#include "firn/study/diagnose_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/folder_name.h"
#include "firn/base/sealed_json.h"
#include "firn/base/table_sums.h"
#include "firn/diagnose/summary.h"
#include "firn/diagnose/tables.h"
#include "firn/diagnose/verify.h"
#include "firn/study/argument_error.h"
#include "firn/study/output_file.h"
#include "firn/study/output_folder.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "firn/study/tell.h"
#include "firn/train/rank_agreement.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

constexpr double kCheckTolerance = 1e-3;
constexpr std::size_t kDefaultSamples = 1000;
constexpr const char* kSummaryFormat = "firn diagnosis 1";

// The kept checkpoints of a run folder, by step.
std::vector<fs::path> kept_checkpoints(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw Error(fmt::format("{} is no run folder; name the folders whose kept checkpoints are to be diagnosed",
                            folder.string()));
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kBefore = "step-", kAfter = ".safetensors";
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    std::uint64_t step = 0;
    const char* end = name.data() + name.size() - kAfter.size();
    if (std::from_chars(name.data() + kBefore.size(), end, step).ptr == end) found.emplace_back(step, entry.path());
  }
  if (found.empty())
    throw Error(fmt::format("{} holds no kept checkpoints (step-N.safetensors); set train.keep_at when you train",
                            folder.string()));
  std::sort(found.begin(), found.end());
  std::vector<fs::path> files;
  for (auto& [step, path] : found) files.push_back(path);
  return files;
}

void check_halves(std::size_t examples) {
  if (examples < 2) throw Error("one example is too few: a diagnosis compares two halves; choose more samples");
}

// The chosen samples, in random order. `usual` of them where nobody chose a number, 0 for all.
SubsetExamples choose(const Experiment& experiment, const DiagnoseParams& params, std::size_t usual) {
  SubsetExamples all = subset_of(experiment, params.subset);
  all.indices = draw_examples(all.indices, {.wanted = params.samples,
                                            .usual = usual,
                                            .seed = params.settings.seed,
                                            .stream = "diagnose/samples",
                                            .part = long_name_of(params.subset)});
  check_halves(all.indices.size());
  return all;
}

// Flips of the discrete network are cheap: they alone are judged on everything there is.
std::size_t usual_samples(const DiagnoseParams& params) {
  const bool has_others = params.settings.needs_neurons() || params.settings.gaps || params.check;
  return params.discrete && !has_others ? 0 : kDefaultSamples;
}

DiscreteSettings discrete_settings(const DiagnoseParams& params) {
  return {.fit_samples = params.fit_samples, .neurons = params.settings.neurons, .seed = params.settings.seed};
}

ShockSettings shock_settings(const DiagnoseParams& params) {
  return {.batches = params.batches, .seed = params.settings.seed};
}

void check_neurons(const Mixtures& mixtures, const fs::path& file, const DiagnoseParams& params) {
  if (!params.settings.needs_neurons() && !params.check && !params.shocks) return;
  for (const Mixtures::Group& group : mixtures.groups())
    for (std::size_t n = group.first; group.in_scope && n < group.first + group.count; ++n)
      if (!mixtures.is_frozen(n)) return;
  throw Error(
      fmt::format("all neurons of {} that could be examined are frozen, so nothing is left to decide; take an earlier "
                  "checkpoint, or measure only gaps",
                  file.string()));
}

void warn_of_changed_data(const LoadedCheckpoint& loaded, const fs::path& file, const DiagnoseParams& params) {
  const bool tests = params.subset == Subset::kTest;
  for (const bool is_test : {false, true}) {
    if (is_test ? !tests : tests && !params.discrete && !params.shocks) continue;
    if (const auto warning = warn_of_changed_split(loaded.experiment.data, is_test, loaded.header.data, file.string()))
      tell(params.on_warning, *warning);
  }
}

Diagnosis examine(const LoadedCheckpoint& loaded, const ConeNetwork& network, const SubsetExamples& chosen,
                  const DiagnoseParams& params, const OnStage& on_stage, Threads& threads) {
  const Experiment& experiment = loaded.experiment;
  const std::vector<std::uint32_t>& indices = chosen.indices;
  Diagnosis diagnosis;
  if (params.settings.needs_neurons())
    diagnosis = diagnose_examples(network, experiment.encoder, chosen.examples, indices, params.settings, on_stage,
                                  threads, *params.ranks);
  diagnosis.samples = indices.size();
  if (params.settings.gaps) {
    const double temperature = loaded.config.train.temperature;
    Evaluator evaluator(*experiment.model, experiment.encoder, loss_from_name(loaded.config.train.loss), temperature,
                        experiment.classes(), threads, *params.ranks);
    diagnosis.gaps = measure_gaps(*experiment.model, evaluator, chosen.examples, indices, temperature,
                                  [&](auto done, auto total) { on_stage("gaps", done, total); });
  }
  return diagnosis;
}

std::vector<CheckedLayer> by_layer(const std::vector<CheckedEffect>& checked, const Mixtures& mixtures) {
  std::vector<CheckedLayer> layers;
  for (const Mixtures::Group& group : mixtures.groups()) {
    std::vector<CheckedEffect> own;
    for (const CheckedEffect& c : checked)
      if (group.contains(c.neuron)) own.push_back(c);
    if (own.empty()) continue;
    CheckedLayer layer{group.name, own.size(), 0, std::numeric_limits<double>::infinity(), worst_error(own)};
    for (const CheckedEffect& c : own) {
      if (c.is_resolved())
        layer.smallest_effect = std::min(layer.smallest_effect, std::abs(c.expected));
      else
        ++layer.unresolved;
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Tables and summary replace nothing that is read.
void check_tables_replace_nothing(const fs::path& folder, const fs::path& checkpoint, const Config& config,
                                  const DiagnoseParams& params) {
  std::vector<fs::path> inputs = files_of_data(config, params.data_root);
  inputs.push_back(checkpoint);
  for (const char* name : {"effects.csv", "locality.csv", "heldout.csv", "gaps.csv", "gates.csv", "flips.csv",
                           "shocks.csv", "summary.json", TableSums::kFile})
    check_output(folder / name, inputs);
}

}  // namespace

Diagnosis diagnose_examples(const ConeNetwork& network, const Encoder& encoder, const Examples& examples,
                            std::span<const std::uint32_t> indices, const DiagnoseSettings& settings,
                            const OnStage& on_stage, Threads& threads, Ranks& ranks) {
  check_halves(indices.size());
  const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(indices.size() / 2);
  const std::array halves = {choose_samples(examples, {indices.begin(), middle}, encoder, network.input_layout()),
                             choose_samples(examples, {middle, indices.end()}, encoder, network.input_layout())};
  return diagnose::diagnose(network, halves, settings, threads, on_stage ? on_stage : OnStage([](auto, auto, auto) {}),
                            ranks);
}

CheckpointDiagnosis diagnose_checkpoint(const fs::path& checkpoint, const fs::path& folder,
                                        const DiagnoseParams& params, Threads& threads) {
  const LoadedCheckpoint loaded = load_checkpoint(checkpoint, params.data_root, *params.parts);
  check_diagnosable(*loaded.experiment.model);
  const SubsetExamples chosen = choose(loaded.experiment, params, usual_samples(params));
  const ConeNetwork network(*loaded.experiment.model, task_loss_from_name(loaded.config.train.loss),
                            loaded.config.train.temperature);
  check_neurons(network.mixtures(), checkpoint, params);
  std::optional<SubsetExamples> fitting;
  if (params.discrete) fitting.emplace(draw_fitting_examples(loaded.experiment, discrete_settings(params)));
  if (params.shocks) check_settings(shock_settings(params), loaded.config.freeze.task, network.mixtures());
  check_tables_replace_nothing(folder, checkpoint, loaded.config, params);
  const bool writes = params.ranks->is_first();
  const auto opened = open_on_first_rank(folder, params.wait, *params.ranks);
  if (writes) TableSums sums(folder);  // damage to them is found before the work
  check_same_ground(fmt::format("{} {}", loaded.header.step, loaded.header.config),
                    fingerprints_of(loaded.experiment.data), *params.ranks);
  warn_of_changed_data(loaded, checkpoint, params);
  const OnStage on_stage = params.on_stage ? params.on_stage : OnStage([](auto, auto, auto) {});
  CheckpointDiagnosis result{.checkpoint = checkpoint, .step = loaded.header.step};
  result.sample = loaded.experiment.encoder.input_shape();
  result.diagnosis = examine(loaded, network, chosen, params, on_stage, threads);
  if (writes) write_tables(result.diagnosis, network.mixtures(), folder);
  result.summary = summary_of(result.diagnosis);
  result.summary["checkpoint"] = checkpoint.string();
  result.summary["step"] = result.step;
  result.summary["split"] = name_of(params.subset);
  result.summary["seed"] = params.settings.seed;
  if (params.check) {
    const auto checked = verify_effects(
        *loaded.experiment.model, network, loaded.config.train.temperature,
        choose_samples(chosen.examples, chosen.indices, loaded.experiment.encoder, network.input_layout()),
        neurons_to_check(network.mixtures(), params.settings.neurons, params.settings.seed), threads,
        [&](auto done, auto total) { on_stage("check", done, total); });
    result.checked = by_layer(checked, network.mixtures());
    result.failed_check = worst_error(checked) > kCheckTolerance;
    result.summary["check"] = {{"neurons", checked.size()}, {"worst_relative_error", worst_error(checked)}};
  }
  if (fitting) {
    result.discrete = diagnose_discrete(loaded, network, *fitting, choose(loaded.experiment, params, /*usual=*/0),
                                        discrete_settings(params), on_stage, threads);
    if (writes) write_flips(*result.discrete, folder / "flips.csv");
    result.summary["discrete"] = to_json(*result.discrete);
  }
  if (params.shocks) {
    result.shocks =
        diagnose_shocks(loaded, network.mixtures(), shock_settings(params), on_stage, threads, *params.ranks);
    if (writes) write_shocks(*result.shocks, folder / "shocks.csv");
    result.summary["shocks"] = to_json(*result.shocks);
  }
  if (writes) write_file(folder / "summary.json", seal_json(result.summary, kSummaryFormat));
  return result;
}

nlohmann::json diagnose_runs(std::span<const fs::path> runs, const fs::path& folder, const DiagnoseParams& params,
                             Threads& threads, const OnCheckpoint& on_checkpoint) {
  std::set<std::string> names;
  std::vector<std::vector<fs::path>> checkpoints;
  for (const fs::path& run : runs) {
    checkpoints.push_back(kept_checkpoints(run));
    if (!names.insert(folder_name(run)).second)
      throw ArgumentError(fmt::format(
          "two run folders are called {}; rename one, because results are stored under the name", folder_name(run)));
  }
  std::vector<nlohmann::json> means;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<nlohmann::json> summaries;
    for (const fs::path& file : checkpoints[r]) {
      const auto own = diagnose_checkpoint(file, folder / folder_name(runs[r]) / file.stem(), params, threads);
      if (on_checkpoint) on_checkpoint(own);
      summaries.push_back(own.summary);
    }
    means.push_back(mean_of(summaries));
  }
  nlohmann::json spread = spread_of(means);
  if (params.ranks->is_first()) write_file(folder / "summary.json", seal_json(spread, kSummaryFormat));
  return spread;
}

}  // namespace firn::study
